// Package pyvalue contains Python's values of JSON texts, for readers that reproduce the official tools. The output of
// those tools depends on how Python accepts, compares and prints these values.
//
// A value is nil, bool, int64, *big.Int (where int64 is too small), float64, string, []any or *Dict.
//
// In scope: JSON texts and values. Out of scope: the meaning of a value.
package pyvalue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// ErrType is wrapped by errors of values of the wrong type.
var ErrType = errors.New("a value of another type")

// Dict is an object. Its order is that in which the keys were first set.
type Dict struct {
	keys     []string
	values   map[string]any
	repeated []string
}

// NewDict returns an empty object.
func NewDict() *Dict { return &Dict{values: map[string]any{}} }

// Set sets the value of a key.
func (d *Dict) Set(key string, v any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = v
}

// Get returns the value of a key. ok is false if d is nil or does not contain the key.
func (d *Dict) Get(key string) (v any, ok bool) {
	if d == nil {
		return nil, false
	}
	v, ok = d.values[key]
	return v, ok
}

// Field returns the value of a key. ok is false if the key is missing or its value has another type.
func Field[T any](d *Dict, key string) (v T, ok bool) {
	inner, _ := d.Get(key)
	v, ok = inner.(T)
	return v, ok
}

// RepeatedKeys returns the keys that occurred more than once in the JSON text.
func (d *Dict) RepeatedKeys() []string { return d.repeated }

// MarshalJSON implements json.Marshaler.
func (d *Dict) MarshalJSON() ([]byte, error) { return []byte(JSON(d)), nil }

// Keys returns the keys in their order, or nil if d is nil.
func (d *Dict) Keys() []string {
	if d == nil {
		return nil
	}
	return d.keys
}

// IsTrue reports whether Python treats the value as true.
func IsTrue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case *Dict:
		return len(v.keys) > 0
	}
	return true
}

// Characters returns the items over which Python iterates in a text: one text per code point.
func Characters(text string) []any {
	all := make([]any, 0, len(text))
	for _, c := range text {
		all = append(all, string(c))
	}
	return all
}

// exactRat returns a number's exact value. It returns false for other values, infinities and NaN.
func exactRat(v any) (*big.Rat, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewRat(1, 1), true
		}
		return new(big.Rat), true
	case int64:
		return new(big.Rat).SetInt64(v), true
	case *big.Int:
		return new(big.Rat).SetInt(v), true
	case float64:
		if r := new(big.Rat).SetFloat64(v); r != nil {
			return r, true
		}
	}
	return nil, false
}

// Less reports whether number a is less than number b. It is false for NaN. Other values than numbers are errors.
func Less(a, b any) (bool, error) {
	x, ok := exactRat(a)
	y, ok2 := exactRat(b)
	if ok && ok2 {
		return x.Cmp(y) < 0, nil
	}
	f, err := toDouble(a)
	g, err2 := toDouble(b)
	return f < g, errors.Join(err, err2)
}

// toDouble converts a number to a double. A number beyond the range becomes an infinity.
func toDouble(v any) (float64, error) {
	if f, ok := v.(float64); ok {
		return f, nil
	}
	r, ok := exactRat(v)
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrType, Name(v))
	}
	f, _ := r.Float64()
	return f, nil
}

// Equal reports whether a value equals a whole number. 5.0 equals 5, and true equals 1.
func Equal(v any, n uint64) bool {
	r, ok := exactRat(v)
	return ok && r.Cmp(new(big.Rat).SetInt(new(big.Int).SetUint64(n))) == 0
}

// Same reports whether a == b in Python. Numbers, including true and false, are compared by value, and lists and
// objects by their contents. NaN equals nothing.
func Same(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, Same)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && x.equalDict(y)
	}
	if f, ok := a.(float64); ok && math.IsInf(f, 0) {
		return a == b
	}
	x, ok := exactRat(a)
	y, ok2 := exactRat(b)
	return ok && ok2 && x.Cmp(y) == 0
}

// equalDict reports whether two objects have the same keys with equal values.
func (d *Dict) equalDict(other *Dict) bool {
	if len(d.keys) != len(other.keys) {
		return false
	}
	for _, key := range d.keys {
		if v, ok := other.Get(key); !ok || !Same(d.values[key], v) {
			return false
		}
	}
	return true
}

// Float returns float(v) for numbers and for texts that are numbers.
func Float(v any) (float64, error) {
	if s, ok := v.(string); ok {
		if f, ok := pyfloat.Parse(s); ok {
			return f, nil
		}
		return 0, fmt.Errorf("%q is no number", s)
	}
	f, err := toDouble(v)
	if err == nil && math.IsInf(f, 0) {
		if _, isFloat := v.(float64); !isFloat {
			return 0, errors.New("the integer is too large for a double")
		}
	}
	return f, err
}

// Int returns int(v).
func Int(v any) (*big.Int, error) {
	switch v := v.(type) {
	case string:
		return parseInt(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no integer", v)
		}
		n, _ := big.NewFloat(v).Int(nil)
		return n, nil
	}
	r, ok := exactRat(v)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrType, Name(v))
	}
	return new(big.Int).Set(r.Num()), nil
}

// maxDigits is the largest number of digits of an integer that Python reads from a text.
const maxDigits = 4300

func parseInt(text string) (*big.Int, error) {
	digits := pyfloat.ToASCIIDigits(strings.TrimFunc(text, pyfloat.IsSpace))
	plain := strings.TrimLeft(digits, "+-")
	ok := len(digits)-len(plain) <= 1 && plain != "" && len(plain) <= maxDigits &&
		!strings.HasPrefix(plain, "_") && !strings.HasSuffix(plain, "_") && !strings.Contains(plain, "__")
	n, parsed := new(big.Int).SetString(strings.ReplaceAll(strings.TrimPrefix(digits, "+"), "_", ""), 10)
	if !ok || !parsed {
		return nil, fmt.Errorf("%q is no integer", text)
	}
	return n, nil
}

// Divide returns a/b as in Python, which rounds the quotient of two integers only once.
func Divide(a, b any) (float64, error) {
	x, ok := exactRat(a)
	y, ok2 := exactRat(b)
	_, isFloat := a.(float64)
	_, isFloat2 := b.(float64)
	if ok && ok2 && !isFloat && !isFloat2 && y.Sign() != 0 {
		f, _ := new(big.Rat).Quo(x, y).Float64()
		return f, nil
	}
	f, err := Float(mustNumber(a))
	g, err2 := Float(mustNumber(b))
	if err := errors.Join(err, err2); err != nil {
		return 0, err
	}
	if g == 0 {
		return 0, errors.New("division by zero")
	}
	return f / g, nil
}

// mustNumber replaces a text by a value that arithmetic rejects as a wrong type.
func mustNumber(v any) any {
	if _, ok := v.(string); ok {
		return []any{}
	}
	return v
}

// Times returns v*n as in Python. For texts and lists, which Python would repeat, it returns an error.
func Times(v any, n int64) (any, error) {
	if f, ok := v.(float64); ok {
		return f * float64(n), nil
	}
	r, ok := exactRat(v)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrType, Name(v))
	}
	return narrowInt(new(big.Int).Mul(r.Num(), big.NewInt(n))), nil
}

// narrowInt returns n as an int64 if it fits, or else n itself.
func narrowInt(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// Name returns the value for messages: its text, or the type for lists, objects and nil.
func Name(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(v)
	case []any:
		return "a list"
	case *Dict:
		return "an object"
	}
	return Text(v)
}
