package records

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// readJSON reads the objects of an array, or objects one after the other.
func (r *tableReader) readJSON(in *bufio.Reader) error {
	first, err := peekNonSpace(in)
	if err != nil {
		return err
	}
	d := json.NewDecoder(in)
	array := first == '['
	if array {
		if _, err := d.Token(); err != nil {
			return err
		}
	} else if first != '{' {
		return fmt.Errorf("it starts with %q, want a JSON array or object, or Parquet", first)
	}
	for r.table.rows < r.limit && (!array || d.More()) {
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case errors.Is(err, io.EOF) && !array:
			return nil
		case err != nil:
			return fmt.Errorf("after %d records, at byte %d: %w", r.table.rows, d.InputOffset(), err)
		}
		r.addObject(raw)
	}
	if array && r.table.rows < r.limit {
		_, err = d.Token() // the end of the array
	}
	return err
}

// peekNonSpace skips white space and returns the byte after it, or 0 at the end of the file.
func peekNonSpace(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			return 0, errors.New("it is empty, want a JSON array or object, or Parquet")
		case err != nil:
			return 0, err
		case bytes.IndexByte([]byte(" \t\r\n"), b[0]) < 0:
			return b[0], nil
		}
		if _, err := in.Discard(1); err != nil {
			return 0, err
		}
	}
}

// addObject appends a row with the values of an object.
func (r *tableReader) addObject(raw []byte) {
	row := r.table.rows
	r.table.rows++
	var object map[string]json.RawMessage
	if !utf8.Valid(raw) {
		r.faults.Addf(RecordLabel(row), "it is not UTF-8")
	} else if err := json.Unmarshal(raw, &object); err != nil {
		r.faults.Addf(RecordLabel(row), "%.60q is no object", raw)
	}
	if row == 0 {
		r.table.names = slices.Sorted(maps.Keys(object))
	}
	for _, c := range r.columns {
		if err := r.addValue(c, object[c.Name]); err != nil && object != nil {
			r.faults.Addf(RecordLabel(row), "%s: %v", c.Name, err)
		}
	}
}

func (r *tableReader) addValue(c TableColumn, raw json.RawMessage) (err error) {
	present := raw != nil && string(raw) != "null"
	r.seen[c.Name] = r.seen[c.Name] || present
	if c.TokenIDs {
		var ids []int32
		if present {
			ids, err = parseTokenIDs(raw)
		}
		r.table.ids[c.Name] = append(r.table.ids[c.Name], ids)
	} else {
		text := ""
		if present {
			if text, err = parseText(raw); err == nil {
				err = c.checkText(text)
			}
		}
		r.table.texts[c.Name] = append(r.table.texts[c.Name], text)
	}
	if c.Required && !present && err == nil && r.seen[c.Name] {
		err = errors.New("it is missing")
	}
	return err
}

// parseText parses a string, or returns a number's digits unchanged.
func parseText(raw json.RawMessage) (text string, err error) {
	if c := raw[0]; c == '-' || '0' <= c && c <= '9' {
		return string(raw), nil
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("found %.40q, want text", raw)
	}
	return text, nil
}

// parseTokenIDs parses an array of token TokenIDs. It also accepts an array that contains only that array, which some
// tokenizers write.
func parseTokenIDs(raw json.RawMessage) ([]int32, error) {
	var ids []int32
	if json.Unmarshal(raw, &ids) != nil {
		var nested [][]int32
		if json.Unmarshal(raw, &nested) != nil || len(nested) != 1 {
			return nil, fmt.Errorf("found %.40q, want an array of token ids", raw)
		}
		ids = nested[0]
	}
	return ids, checkTokenIDs(ids)
}

func checkTokenIDs(ids []int32) error {
	for i, id := range ids {
		if id < 0 {
			return fmt.Errorf("id %d at place %d, want at least 0", id, i)
		}
	}
	return nil
}
