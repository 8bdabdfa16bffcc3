package system

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// FillIn is the beginning of a field's value that a person must replace. A description of the value follows.
const FillIn = "FILL IN: "

// Sheet is a JSON object whose fields are filled in by the machine and by a person. A person's entries remain
// unchanged.
type Sheet struct {
	fields []Field
	values map[string]json.RawMessage
	order  []string
}

// OpenField is a field that a person must still fill in.
type OpenField struct {
	Field string
	Ask   string // description of the value
}

func (o OpenField) String() string { return o.Field + ": " + o.Ask }

// NewSheet returns an empty sheet.
func NewSheet(fields []Field) *Sheet {
	return &Sheet{fields: fields, values: map[string]json.RawMessage{}}
}

// ErrSheet reports an invalid text of a sheet.
var ErrSheet = errors.New("not a JSON object of fields")

// ReadSheet parses a sheet's text. It keeps fields that are not in fields in their places. A duplicate field is an
// error.
func ReadSheet(text []byte, fields []Field) (*Sheet, error) {
	s := NewSheet(fields)
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: it begins with %.20q, want {", ErrSheet, text)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSheet, err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: %v: %w", ErrSheet, name, err)
		}
		if _, twice := s.values[name.(string)]; twice {
			return nil, fmt.Errorf("%w: %v is there twice", ErrSheet, name)
		}
		s.setField(name.(string), value)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSheet, err)
	}
	if d.More() {
		return nil, fmt.Errorf("%w: something follows its end", ErrSheet)
	}
	return s, nil
}

func (s *Sheet) setField(name string, value json.RawMessage) {
	if _, there := s.values[name]; !there {
		s.order = append(s.order, name)
	}
	s.values[name] = value
}

// Text returns a text, number or boolean of a field as a text; empty: no such field, or it must be filled in.
func (s *Sheet) Text(name string) string {
	if text := s.writtenText(name); !IsUnfilled(text) {
		return text
	}
	return ""
}

// IsUnfilled reports whether a value is a mark that the field must be filled in.
func IsUnfilled(value string) bool {
	return strings.HasPrefix(strings.TrimSpace(value), strings.TrimSpace(FillIn))
}

// writtenText returns a field's value as a text, including FillIn marks.
func (s *Sheet) writtenText(name string) string {
	raw := bytes.TrimSpace(s.values[name])
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return strings.TrimSpace(text)
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null":
		return ""
	}
	return string(raw)
}

// Has reports whether the sheet contains a field, filled in or not.
func (s *Sheet) Has(name string) bool {
	_, ok := s.values[name]
	return ok
}

// Put sets a field's value and replaces an earlier one.
func (s *Sheet) Put(name, value string) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // encoding a text cannot fail
	s.setField(name, bytes.TrimSpace(text.Bytes()))
}

// Complete sets the known values of open fields and marks the fields that stay open, except optional ones. It returns
// the names of the fields that it has set.
func (s *Sheet) Complete(known map[string]string) []string {
	var filled []string
	for _, f := range s.fields {
		switch value := known[f.Name]; {
		case s.Has(f.Name) && s.Text(f.Name) == "" && s.writtenText(f.Name) == "" && !f.Required: // left empty
		case s.Text(f.Name) != "":
		case value != "":
			s.Put(f.Name, value)
			filled = append(filled, f.Name)
		case f.Required:
			s.Put(f.Name, FillIn+f.Ask)
		default:
			s.Put(f.Name, "")
		}
	}
	return filled
}

// OpenField returns the fields that a person must still fill in, and required fields that are empty or missing.
func (s *Sheet) OpenFields() []OpenField {
	var open []OpenField
	for _, f := range s.fields {
		if s.Text(f.Name) == "" && (f.Required || s.writtenText(f.Name) != "") {
			open = append(open, OpenField{f.Name, f.Ask})
		}
	}
	for _, name := range s.order {
		if named := slices.ContainsFunc(s.fields, func(f Field) bool { return f.Name == name }); named {
			continue
		}
		if text := s.writtenText(name); text != "" && s.Text(name) == "" {
			open = append(open, OpenField{name, strings.TrimSpace(strings.TrimPrefix(text, strings.TrimSpace(FillIn)))})
		}
	}
	return open
}

// JSON returns the sheet's text: its fields in order, followed by all others.
func (s *Sheet) JSON() []byte {
	var names []string
	for _, f := range s.fields {
		if s.Has(f.Name) && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	for _, name := range s.order {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var text bytes.Buffer
	text.WriteString("{")
	for i, name := range names {
		if i > 0 {
			text.WriteString(",")
		}
		key, _ := json.Marshal(name) // encoding a text cannot fail
		fmt.Fprintf(&text, "\n  %s: %s", key, s.values[name])
	}
	text.WriteString("\n}\n")
	return text.Bytes()
}

// Remove removes a field, if it exists.
func (s *Sheet) Remove(name string) {
	delete(s.values, name)
	s.order = slices.DeleteFunc(s.order, func(o string) bool { return o == name })
}

// PutRaw sets a field's value that is not a text. raw is JSON.
func (s *Sheet) PutRaw(name string, raw json.RawMessage) { s.setField(name, raw) }
