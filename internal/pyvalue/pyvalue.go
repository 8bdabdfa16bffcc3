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

// Dict is an object; the order is that in which its keys were first set.
type Dict struct {
	keys   []string
	values map[string]any
	twice  []string
}

// NewDict is an empty object.
func NewDict() *Dict { return &Dict{values: map[string]any{}} }

// Set sets a key.
func (d *Dict) Set(key string, v any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = v
}

// Get is the value of a key; ok is false where d is nil or has none.
func (d *Dict) Get(key string) (v any, ok bool) {
	if d == nil {
		return nil, false
	}
	v, ok = d.values[key]
	return v, ok
}

// Field is the value of a key, if it is there and of the type.
func Field[T any](d *Dict, key string) (v T, ok bool) {
	inner, _ := d.Get(key)
	v, ok = inner.(T)
	return v, ok
}

// Twice are the keys that JSON had more than once.
func (d *Dict) Twice() []string { return d.twice }

// MarshalJSON makes encoding/json write the object as JSON does.
func (d *Dict) MarshalJSON() ([]byte, error) { return []byte(JSON(d)), nil }

// Keys are the keys in their order; of nil there are none.
func (d *Dict) Keys() []string {
	if d == nil {
		return nil
	}
	return d.keys
}

// True says whether Python takes the value for true.
func True(v any) bool {
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

// Characters are the items of a text where Python goes through it as through a list: a text for each code point.
func Characters(text string) []any {
	all := make([]any, 0, len(text))
	for _, c := range text {
		all = append(all, string(c))
	}
	return all
}

// exactRat is a number's exact value, for numbers but infinities and NaN.
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

// Less says whether a number is below another. Of NaN it is false; what is no number is an error.
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

// toDouble is a number as a double, or the double that is as far away as a number is that fits none.
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

// Equal compares with a whole number: 5.0 and 5 are equal, and true and 1.
func Equal(v any, n uint64) bool {
	r, ok := exactRat(v)
	return ok && r.Cmp(new(big.Rat).SetInt(new(big.Int).SetUint64(n))) == 0
}

// Same says whether a == b in Python: numbers by their values, true and false among them, lists and objects by what
// they hold. NaN equals nothing.
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

// equalDict says whether two objects have equal values of the same keys.
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

// Float is what float(v) gives: of numbers, and of texts that are numbers.
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

// Int is what int(v) gives.
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

// maxDigits is the length from which Python reads no integer.
const maxDigits = 4300

func parseInt(text string) (*big.Int, error) {
	digits := pyfloat.Digits(strings.TrimFunc(text, pyfloat.IsSpace))
	plain := strings.TrimLeft(digits, "+-")
	ok := len(digits)-len(plain) <= 1 && plain != "" && len(plain) <= maxDigits &&
		!strings.HasPrefix(plain, "_") && !strings.HasSuffix(plain, "_") && !strings.Contains(plain, "__")
	n, parsed := new(big.Int).SetString(strings.ReplaceAll(strings.TrimPrefix(digits, "+"), "_", ""), 10)
	if !ok || !parsed {
		return nil, fmt.Errorf("%q is no integer", text)
	}
	return n, nil
}

// Divide is a/b in Python, which rounds the quotient of two integers once.
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

// mustNumber makes a text a value of the wrong type, which arithmetic does not take for a number.
func mustNumber(v any) any {
	if _, ok := v.(string); ok {
		return []any{}
	}
	return v
}

// Times is v*n in Python; of texts and lists, which could be repeated, it is an error.
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

// narrowInt is an int64 where the integer fits.
func narrowInt(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// Name is the value in messages: its text, or of lists and objects what they are.
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
