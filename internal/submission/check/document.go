package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// maxDocument bounds a JSON document and a text: people wrote them, or a script.
const maxDocument = 4 << 20

// readBytes reads a small file whole, which the official checker does not look into.
func (c *treeChecker) readBytes(name string) ([]byte, error) {
	f, err := c.tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		return nil, fmt.Errorf("is larger than %d bytes", maxDocument)
	}
	return text, err
}

// readText reads a small file as the official checker reads texts: UTF-8, with the ends of lines as \n.
func (c *treeChecker) readText(name string) (string, error) {
	f, err := c.tree.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return pyvalue.ReadText(f, maxDocument)
}

// jsonObject is a JSON object and the names that it has more than once.
type jsonObject struct {
	fields map[string]any // values as pyvalue has them
	twice  []string
}

// readObject reads a JSON file that holds an object.
func (c *treeChecker) readObject(name string) (jsonObject, error) {
	text, err := c.readText(name)
	if err != nil {
		return jsonObject{}, err
	}
	return parseObject(text)
}

// parseObject reads a JSON object. Of a name that occurs twice the last value counts, as elsewhere.
func parseObject(text string) (jsonObject, error) {
	switch {
	case strings.HasPrefix(text, byteOrderMark):
		return jsonObject{}, errors.New("begins with a byte order mark, which JSON does not have")
	case strings.TrimSpace(text) == "":
		return jsonObject{}, errors.New("is empty")
	}
	v, err := pyvalue.Decode(text)
	if err == nil && !json.Valid([]byte(text)) {
		err = errors.New("NaN and Infinity are no numbers there")
	}
	if err != nil {
		return jsonObject{}, fmt.Errorf("is not JSON: %w", err)
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return jsonObject{}, errors.New("is not a JSON object")
	}
	if !pyvalue.Whole(d) {
		return jsonObject{}, errors.New("has half of a letter: one \\u of a pair without the other")
	}
	o := jsonObject{fields: map[string]any{}, twice: d.Twice()}
	for _, key := range d.Keys() {
		o.fields[key], _ = d.Get(key)
	}
	return o, nil
}

const byteOrderMark = "\ufeff"

// isEmptyValue says whether the official checker takes a value for none: "", 0, false, null, [] and {}.
func isEmptyValue(v any) bool { return !pyvalue.True(v) }

// quoteValue is a value as findings quote it.
func quoteValue(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	if len(text) > 80 {
		return string(text[:77]) + "..."
	}
	return string(text)
}
