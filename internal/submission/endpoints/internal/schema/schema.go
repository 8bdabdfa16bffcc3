// Package schema checks files against a schema as the official checker's library does (Pydantic, in its lax mode): a
// number may be given as a string, unknown keys are allowed, and every wrong field is one fault. Rules about several
// fields of an object are checked only if each field is valid.
//
// In scope: values of package pyvalue, schemas made of Object, List, Map and the kinds of scalars. Out of scope: the
// schemas of particular files.
package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Fault is a fault of a field.
type Fault struct {
	Path    string // path of the field, such as "node_types.0.driver"; "" for the whole file
	Text    string // what was expected and what was found
	Section string // section of the rules, if it differs from the file's
}

func (f Fault) String() string {
	if f.Path == "" {
		return f.Text
	}
	return f.Path + ": " + f.Text
}

// Faults contains the faults of a file, in the order of its schema.
type Faults []Fault

// Add adds a fault at a path.
func (f *Faults) Add(at, format string, args ...any) {
	*f = append(*f, Fault{Path: at, Text: fmt.Sprintf(format, args...)})
}

// Kind converts the value at a path and adds all its faults to f.
type Kind func(v any, at string, f *Faults) any

// Field is a key of an object.
type Field struct {
	Name       string
	Kind       Kind
	Required   bool
	Nullable   bool // null is allowed and counts as a missing key
	PassesNull bool // null is passed to the kind even if Null is set
}

// Record is a converted object: its fields' converted values and the original object.
type Record struct {
	Raw    *pyvalue.Dict
	values map[string]any
}

// Object returns the kind of an object with the given fields. after, if not nil, is called if all fields are valid.
func Object(after func(r *Record, at string, f *Faults), fields ...Field) Kind {
	return func(v any, at string, f *Faults) any {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			f.Add(at, "want an object, found %s", BriefText(v))
			return nil
		}
		r := &Record{d, map[string]any{}}
		before := len(*f)
		for _, field := range fields {
			r.readField(field, at, f)
		}
		if after != nil && len(*f) == before {
			after(r, at, f)
		}
		return r
	}
}

func (r *Record) readField(field Field, at string, f *Faults) {
	v, there := r.Raw.Get(field.Name)
	switch {
	case !there && field.Required:
		f.Add(JoinPath(at, field.Name), "missing")
	case !there, v == nil && field.Nullable && !field.PassesNull:
	default:
		if got := field.Kind(v, JoinPath(at, field.Name), f); got != nil {
			r.values[field.Name] = got
		}
	}
}

// JoinPath returns the path of a key in the object at a path.
func JoinPath(at, key string) string { return strings.TrimPrefix(at+"."+key, ".") }

// Has reports whether a field has a value.
func (r *Record) Has(name string) bool { return r != nil && r.values[name] != nil }

// Text returns a field's text, or "".
func (r *Record) Text(name string) string { return fieldValue[string](r, name) }

// Float returns a field's number, or 0.
func (r *Record) Float(name string) float64 { return fieldValue[float64](r, name) }

// Big returns a field's whole number, or nil.
func (r *Record) Big(name string) *big.Int { return fieldValue[*big.Int](r, name) }

// Int returns a field's whole number if it fits an int, or 0.
func (r *Record) Int(name string) int {
	n := r.Big(name)
	switch {
	case n == nil:
		return 0
	case n.IsInt64():
		return int(n.Int64())
	case n.Sign() < 0:
		return math.MinInt
	}
	return math.MaxInt
}

// Bool returns a field's boolean, or false.
func (r *Record) Bool(name string) bool { return fieldValue[bool](r, name) }

// Record returns a field's object, or nil.
func (r *Record) Record(name string) *Record { return fieldValue[*Record](r, name) }

// List returns the items of a field's list without null items.
func (r *Record) List(name string) []any { return fieldValue[[]any](r, name) }

// Map returns a field's object with arbitrary keys, or nil.
func (r *Record) Map(name string) map[string]any { return fieldValue[map[string]any](r, name) }

func fieldValue[T any](r *Record, name string) (v T) {
	if r != nil {
		v, _ = r.values[name].(T)
	}
	return v
}

// List returns the kind of a list with min or more items of a kind.
func List(min int, of Kind) Kind {
	return func(v any, at string, f *Faults) any {
		list, ok := v.([]any)
		switch {
		case !ok:
			f.Add(at, "want a list, found %s", BriefText(v))
			return nil
		case len(list) < min:
			f.Add(at, "want at least %d items, found %d", min, len(list))
			return nil
		}
		all := []any{}
		for i, item := range list {
			if got := of(item, JoinPath(at, strconv.Itoa(i)), f); got != nil {
				all = append(all, got)
			}
		}
		return all
	}
}

// Map returns the kind of an object with arbitrary keys and values of a kind.
func Map(of Kind) Kind {
	return func(v any, at string, f *Faults) any {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			f.Add(at, "want an object, found %s", BriefText(v))
			return nil
		}
		all := map[string]any{}
		for _, key := range d.Keys() {
			item, _ := d.Get(key)
			all[key] = of(item, JoinPath(at, key), f)
		}
		return all
	}
}

// Any accepts any value.
func Any(v any, _ string, _ *Faults) any { return v }

// Text accepts a text.
func Text(v any, at string, f *Faults) any {
	text, ok := v.(string)
	if !ok {
		f.Add(at, "want a text, found %s", BriefText(v))
		return nil
	}
	return text
}

// LongText returns the kind of a text of min or more characters.
func LongText(min int) Kind {
	return func(v any, at string, f *Faults) any {
		text, ok := Text(v, at, f).(string)
		if ok && len([]rune(text)) < min {
			f.Add(at, "want at least %d characters, found %s", min, BriefText(v))
			return nil
		}
		if !ok {
			return nil
		}
		return text
	}
}

// Word returns the kind of a text that is one of words.
func Word(words ...string) Kind {
	return func(v any, at string, f *Faults) any {
		if text, ok := v.(string); ok && slices.Contains(words, text) {
			return text
		}
		f.Add(at, "want %s, found %s", strings.Join(words, " or "), BriefText(v))
		return nil
	}
}

// Int accepts a whole number, and also booleans, 1.0 and texts of whole numbers.
func Int(v any, at string, f *Faults) any {
	switch x := v.(type) {
	case int64:
		return big.NewInt(x)
	case *big.Int:
		return x
	case bool:
		if x {
			return big.NewInt(1)
		}
		return new(big.Int)
	case float64:
		if x == math.Trunc(x) && !math.IsInf(x, 0) {
			n, _ := big.NewFloat(x).Int(nil)
			return n
		}
	case string:
		whole, zeros, dotted := strings.Cut(strings.TrimSpace(x), ".")
		if n, err := pyvalue.Int(whole); err == nil && strings.Trim(zeros, "0") == "" && (!dotted || zeros != "") {
			return n
		}
	}
	f.Add(at, "want a whole number, found %s", BriefText(v))
	return nil
}

// IntFrom returns the kind of a whole number of min or more.
func IntFrom(min int64) Kind {
	return func(v any, at string, f *Faults) any {
		n, ok := Int(v, at, f).(*big.Int)
		if ok && n.Cmp(big.NewInt(min)) < 0 {
			f.Add(at, "want at least %d, found %s", min, BriefText(v))
			return nil
		}
		if !ok {
			return nil
		}
		return n
	}
}

// Float accepts a number, and also booleans and texts of numbers.
func Float(v any, at string, f *Faults) any {
	if _, isNil := v.(*pyvalue.Dict); v != nil && !isNil {
		if x, err := pyvalue.Float(v); err == nil {
			return x
		}
	}
	f.Add(at, "want a number, found %s", BriefText(v))
	return nil
}

// FloatWithin returns the kind of a number from min to max.
func FloatWithin(min, max float64) Kind {
	return func(v any, at string, f *Faults) any {
		x, ok := Float(v, at, f).(float64)
		switch {
		case !ok:
			return nil
		case !(x >= min):
			f.Add(at, "want at least %v, found %s", min, BriefText(v))
			return nil
		case !(x <= max):
			f.Add(at, "want at most %v, found %s", max, BriefText(v))
			return nil
		}
		return x
	}
}

// StrictFloat accepts a number, but neither a text nor a boolean.
func StrictFloat(v any, at string, f *Faults) any {
	switch v.(type) {
	case int64, *big.Int, float64:
		return Float(v, at, f)
	}
	f.Add(at, "want a number, found %s", BriefText(v))
	return nil
}

// booleanWords maps texts in lower case to the booleans that they represent.
var booleanWords = map[string]bool{"1": true, "on": true, "t": true, "true": true, "y": true, "yes": true,
	"0": false, "off": false, "f": false, "false": false, "n": false, "no": false}

// Bool accepts a boolean, and also 1, 0 and words for booleans.
func Bool(v any, at string, f *Faults) any {
	switch x := v.(type) {
	case bool:
		return x
	case string:
		if truth, ok := booleanWords[strings.ToLower(x)]; ok {
			return truth
		}
	case int64, *big.Int, float64: // numbers of JSON and YAML
		if n, err := pyvalue.Float(v); err == nil && (n == 0 || n == 1) {
			return n == 1
		}
	}
	f.Add(at, "want true or false, found %s", BriefText(v))
	return nil
}

// Union returns the kind of a value that matches one of several kinds. If none matches, it adds the faults of all.
func Union(kinds ...Kind) Kind {
	return func(v any, at string, f *Faults) any {
		var all Faults
		for _, kind := range kinds {
			var own Faults
			if got := kind(v, at, &own); len(own) == 0 {
				return got
			}
			all = append(all, own...)
		}
		*f = append(*f, all...)
		return nil
	}
}

// BriefText returns a short form of a value for messages.
func BriefText(v any) string {
	text := pyvalue.JSON(v)
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}

// ClosedObject is Object without other keys than the fields.
func ClosedObject(after func(r *Record, at string, f *Faults), fields ...Field) Kind {
	open := Object(nil, fields...)
	return func(v any, at string, f *Faults) any {
		before := len(*f)
		r, _ := open(v, at, f).(*Record)
		if r == nil {
			return nil
		}
		for _, key := range r.Raw.Keys() {
			if !slices.ContainsFunc(fields, func(field Field) bool { return field.Name == key }) {
				f.Add(JoinPath(at, key), "no such key")
			}
		}
		if after != nil && len(*f) == before {
			after(r, at, f)
		}
		return r
	}
}
