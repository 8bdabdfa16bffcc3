package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// maxDocument is the maximum size in bytes of a JSON document or text, which people or scripts write.
const maxDocument = 4 << 20

// readBytes reads a small file that the official checker does not parse.
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

// readText reads a small file like the official checker reads texts: as UTF-8, with \n as line ends.
func (c *treeChecker) readText(name string) (string, error) {
	f, err := c.tree.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return pyvalue.ReadText(f, maxDocument)
}

// jsonObject is a JSON object with the names of its duplicate keys.
type jsonObject struct {
	fields     map[string]any // values in the types of package pyvalue
	duplicates []string
}

// readObject reads a JSON file that contains an object.
func (c *treeChecker) readObject(name string) (jsonObject, error) {
	text, err := c.readText(name)
	if err != nil {
		return jsonObject{}, err
	}
	return parseObject(text)
}

// parseObject parses a JSON object. For a duplicate key, the last value counts, as usual.
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
	if !pyvalue.IsUTF8(d) {
		return jsonObject{}, errors.New("has half of a letter: one \\u of a pair without the other")
	}
	o := jsonObject{fields: map[string]any{}, duplicates: d.RepeatedKeys()}
	for _, key := range d.Keys() {
		o.fields[key], _ = d.Get(key)
	}
	return o, nil
}

const byteOrderMark = "\ufeff"

// isEmptyValue reports whether the official checker treats a value as missing: "", 0, false, null, [] and {}.
func isEmptyValue(v any) bool { return !pyvalue.IsTrue(v) }

// quoteValue returns a value in the form of findings.
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
