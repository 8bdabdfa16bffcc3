// Package pickle reads Python pickles of plain data and NumPy arrays: what the reference
// preprocessing of KiTS19 writes.
//
// In: protocols 2 to 5; None, bool, int, float, str, bytes, list, tuple, dict with str keys, numpy.ndarray and NumPy's
// scalars. Out: everything else. A pickle is a program that may call anything; this reader knows six functions of NumPy
// and refuses the others.
package pickle

import (
	"errors"
	"fmt"
)

// The bounds of what is read: a case of the largest volume has 0.6 GB and some 40 objects, the index of all cases some
// 10,000.
const (
	MostBytes   = 4 << 30
	mostObjects = 1 << 20
)

// ErrFormat is what every error is.
var ErrFormat = errors.New("pickle")

// List is a Python list.
type List struct{ Items []any }

// Tuple is a Python tuple.
type Tuple []any

// Dict is a Python dict with str keys.
type Dict map[string]any

// Array is a numpy.ndarray, or with an empty shape one of its elements.
type Array struct {
	DType   string // as numpy.dtype.str: "<f4", "|u1"
	Shape   []int
	Fortran bool   // the first axis is the fastest, not the last
	Data    []byte // part of what Load was given
}

// Load reads the one object of a pickle: nil, bool, int64, float64, string, []byte, *List, Tuple, Dict or *Array.
// Beside data it needs at most twice its size, and 100 bytes for each of at most 1,048,576 objects: more are an error.
func Load(data []byte) (any, error) {
	m := machine{data: data}
	for !m.stopped {
		if err := m.step(); err != nil {
			return nil, fmt.Errorf("%w: at byte %d: %w", ErrFormat, m.at, err)
		}
	}
	result, err := m.pop()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	switch result.(type) {
	case mark, global, *dtype:
		return nil, fmt.Errorf("%w: the object is a %T, want data", ErrFormat, result)
	}
	return result, nil
}
