package formats

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// Float is a number that JSON writes as a non-integer: 2.0, 1e+16.
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	v := float64(f)
	switch {
	case v != math.Trunc(v):
		return json.Marshal(v)
	case math.Abs(v) < 1e16:
		return strconv.AppendFloat(nil, v, 'f', 1, 64), nil
	}
	return strconv.AppendFloat(nil, v, 'e', -1, 64), nil
}

// Object is a JSON object whose keys keep their order.
type Object struct {
	text bytes.Buffer
	err  error
}

// Add appends a key with its value. If the value has no JSON form, MarshalJSON returns the error.
func (o *Object) Add(key string, value any) {
	text, err := json.Marshal(value)
	if err != nil && o.err == nil {
		o.err = err
	}
	if o.text.Len() > 0 {
		o.text.WriteByte(',')
	}
	o.text.WriteString(strconv.Quote(key))
	o.text.WriteByte(':')
	o.text.Write(text)
}

// MarshalJSON implements json.Marshaler.
func (o *Object) MarshalJSON() ([]byte, error) { return []byte("{" + o.text.String() + "}"), o.err }

// IndentedJSON returns the whole text with one value per line and a final newline.
func (o *Object) IndentedJSON() ([]byte, error) {
	text, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// NullIfEmpty returns text, or nil if it is empty.
func NullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Seconds converts nanoseconds to seconds.
func Seconds(ns int64) float64 { return float64(ns) / 1e9 }
