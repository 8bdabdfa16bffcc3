package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// AsInts returns the integers in v, which may be an int, an array of ints, or a list or tuple of these, in C order.
func AsInts(v any) ([]int64, error) {
	return collectValues(v, func(item any) (int64, bool) {
		n, ok := item.(int64)
		return n, ok
	}, (*NumpyArray).asInts)
}

// AsStrings returns the texts in v, which may be a str, an array of str, or a list or tuple of these, in C order.
func AsStrings(v any) ([]string, error) {
	return collectValues(v, func(item any) (string, bool) {
		text, ok := item.(string)
		return text, ok
	}, (*NumpyArray).asStrings)
}

// AsFloats returns the numbers in v, which may be a float or int, an array of these, or a list or tuple of these, in C
// order.
func AsFloats(v any) ([]float64, error) {
	return collectValues(v, func(item any) (float64, bool) {
		switch n := item.(type) {
		case float64:
			return n, true
		case int64:
			return float64(n), true
		}
		return 0, false
	}, (*NumpyArray).asFloats)
}

// maxDepth limits the nesting of lists whose values are collected.
const maxDepth = 8

// collectValues returns the values of one type in v, in order. convert converts a single value, convertArray an array.
func collectValues[T any](v any, convert func(any) (T, bool), convertArray func(*NumpyArray) ([]T, error)) ([]T,
	error) {
	var all []T
	visited := 0
	var add func(v any, depth int) error
	add = func(v any, depth int) error {
		if visited++; visited > maxObjects {
			return fmt.Errorf("more than %d values", maxObjects)
		}
		var items []any
		switch c := v.(type) {
		case *List:
			items = c.Items
		case Tuple:
			items = c
		case *NumpyArray:
			values, err := convertArray(c)
			all = append(all, values...)
			return err
		default:
			value, ok := convert(v)
			if !ok {
				return fmt.Errorf("a %T among values, want a %T", v, value)
			}
			all = append(all, value)
			return nil
		}
		if depth == maxDepth {
			return fmt.Errorf("lists in lists, more than %d deep", maxDepth)
		}
		for _, item := range items {
			if err := add(item, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(v, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return all, nil
}

// parseDtype parses the dtype. size is in bytes, or in characters for a str.
func (a *NumpyArray) parseDtype() (order binary.ByteOrder, kind byte, size int, err error) {
	order = binary.LittleEndian
	if strings.HasPrefix(a.DType, ">") {
		order = binary.BigEndian
	}
	name := strings.TrimLeft(a.DType, "<>|=")
	if _, err := fmt.Sscanf(name, "%c%d", &kind, &size); err != nil || size < 1 || size > 1<<20 {
		return nil, 0, 0, fmt.Errorf("an array of %q, want numbers or strs", a.DType)
	}
	return order, kind, size, nil
}

// eachElement checks the data's length against the shape and calls do with the bytes of each element, in C order.
func (a *NumpyArray) eachElement(size int, do func(element []byte) error) error {
	n := 1
	for _, side := range a.Shape {
		if side > 0 && n > len(a.Data)/side+1 {
			return fmt.Errorf("an array of shape %v with %d bytes", a.Shape, len(a.Data))
		}
		n *= side
	}
	if n*size != len(a.Data) || a.Fortran && len(a.Shape) > 1 {
		return fmt.Errorf("an array of %s, shape %v, with %d bytes, want %d in C order", a.DType, a.Shape, len(a.Data),
			n*size)
	}
	for at := 0; at < len(a.Data); at += size {
		if err := do(a.Data[at : at+size]); err != nil {
			return err
		}
	}
	return nil
}

func (a *NumpyArray) asInts() ([]int64, error) {
	order, kind, size, err := a.parseDtype()
	if err != nil || kind != 'i' && kind != 'u' && kind != 'b' || size&(size-1) != 0 || size > 8 {
		return nil, fmt.Errorf("an array of %q, want whole numbers", a.DType)
	}
	values := make([]int64, 0, len(a.Data)/size)
	err = a.eachElement(size, func(b []byte) error {
		bits := toUnsignedInt(order, b)
		if kind == 'i' { // the element's highest bit is its sign
			bits = uint64(int64(bits<<(64-8*size)) >> (64 - 8*size))
		} else if bits > math.MaxInt64 {
			return fmt.Errorf("the whole number %d, want at most %d", bits, math.MaxInt64)
		}
		values = append(values, int64(bits))
		return nil
	})
	return values, err
}

func (a *NumpyArray) asFloats() ([]float64, error) {
	order, kind, size, err := a.parseDtype()
	if err == nil && kind != 'f' {
		whole, err := a.asInts()
		if err != nil {
			return nil, fmt.Errorf("an array of %q, want numbers", a.DType)
		}
		floats := make([]float64, len(whole))
		for i, n := range whole {
			floats[i] = float64(n)
		}
		return floats, nil
	}
	if err != nil || size != 4 && size != 8 {
		return nil, fmt.Errorf("an array of %q, want numbers", a.DType)
	}
	values := make([]float64, 0, len(a.Data)/size)
	err = a.eachElement(size, func(b []byte) error {
		if bits := toUnsignedInt(order, b); size == 4 {
			values = append(values, float64(math.Float32frombits(uint32(bits))))
		} else {
			values = append(values, math.Float64frombits(bits))
		}
		return nil
	})
	return values, err
}

// toUnsignedInt converts an unsigned number of 1, 2, 4 or 8 bytes.
func toUnsignedInt(order binary.ByteOrder, b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// asStrings converts elements with a fixed number of characters, 4 bytes each. It removes trailing zeros.
func (a *NumpyArray) asStrings() ([]string, error) {
	order, kind, size, err := a.parseDtype()
	if err != nil || kind != 'U' {
		return nil, fmt.Errorf("an array of %q, want strs", a.DType)
	}
	var texts []string
	err = a.eachElement(4*size, func(b []byte) error {
		var text []rune
		for at := 0; at < len(b); at += 4 {
			r := rune(order.Uint32(b[at:]))
			if !utf8.ValidRune(r) {
				return fmt.Errorf("%#x in a str, want a character", uint32(r))
			}
			text = append(text, r)
		}
		texts = append(texts, strings.TrimRight(string(text), "\x00"))
		return nil
	})
	return texts, err
}
