package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// mostDocument bounds a JSON document and a text: people wrote them, or a script.
const mostDocument = 4 << 20

var errDocumentSize = fmt.Errorf("is larger than %d bytes", mostDocument)

// readText reads a small file whole.
func (c *checker) readText(name string) ([]byte, error) {
	f, err := c.tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostDocument+1))
	if err == nil && len(text) > mostDocument {
		return nil, errDocumentSize
	}
	return text, err
}

// object is a JSON object and the names that it has more than once.
type object struct {
	fields map[string]any
	twice  []string
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// parseObject reads a JSON object. Of a name that occurs twice the last value counts, as elsewhere.
func parseObject(text []byte) (object, error) {
	if bytes.HasPrefix(text, byteOrderMark) {
		return object{}, errors.New("begins with a byte order mark, which JSON does not have")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return object{}, errors.New("is empty")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	o := object{fields: map[string]any{}}
	if token, err := d.Token(); err != nil {
		return o, fmt.Errorf("is not JSON: %w", err)
	} else if token != json.Delim('{') {
		return o, errors.New("is not a JSON object")
	}
	for d.More() {
		if err := o.field(d); err != nil {
			return o, fmt.Errorf("is not JSON: %w", err)
		}
	}
	if _, err := d.Token(); err != nil {
		return o, fmt.Errorf("is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("has text after its object")
	}
	return o, nil
}

func (o *object) field(d *json.Decoder) error {
	name, err := d.Token()
	if err != nil {
		return err
	}
	var value any
	if err := d.Decode(&value); err != nil {
		return err
	}
	key, _ := name.(string)
	if _, twice := o.fields[key]; twice {
		o.twice = append(o.twice, key)
	}
	o.fields[key] = value
	return nil
}

// empty says whether the official checker takes a value for none: "", 0, false, null, [] and {}.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case float64:
		return v == 0
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// shown is a value as findings quote it.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	if len(text) > 80 {
		return string(text[:77]) + "..."
	}
	return string(text)
}
