// Package pickle reads Python pickles of plain data, and of objects for which its caller provides functions.
//
// In scope: protocols 2 to 5; None, bool, int, float, str, bytes, list, tuple, dict with str keys; OrderedDict,
// numpy.ndarray and NumPy's scalars, through the caller's functions for NumPy. Out of scope: everything else. A pickle
// is a program that may name and call anything. This reader refuses unknown names and executes nothing from the file.
package pickle

import (
	"errors"
	"fmt"
)

// The bounds of what is read: a case of the largest volume has 0.6 GB and some 40 objects, the index of all cases some
// 10,000.
const (
	MaxBytes   = 4 << 30 // of a file
	maxObjects = 1 << 20
)

// ErrFormat is what every error is.
var ErrFormat = errors.New("pickle")

// List is a Python list.
type List struct{ Items []any }

// Tuple is a Python tuple.
type Tuple []any

// Dict is a Python dict with str keys.
type Dict map[string]any

// NumpyArray is a numpy.ndarray or, with an empty shape, a single element.
type NumpyArray struct {
	DType   string // as numpy.dtype.str: "<f4", "|u1"
	Shape   []int
	Fortran bool   // the first axis is the fastest, not the last
	Data    []byte // part of what Load was given
}

// NamedGlobal is a function or class that a pickle names and does not call.
type NamedGlobal string

// ObjectReader reads pickles.
type ObjectReader struct {
	// Names are all that a pickle may name, by MODULE.NAME, each with what a call of it gives; nil: it is not called.
	Names map[string]func(arguments Tuple) (any, error)
	// MaxObjects is how many objects a pickle may make; 0: 1,048,576.
	MaxObjects int
	// Each takes the items of the list that the pickle is, in their order, instead of the list: what it does not keep of
	// one, nobody keeps, but for what later items share with it. An error of it is that of Load. nil: the list has them.
	Each func(i int, item any) error
	// Kept is what a reference to something beside the pickle means; nil: a pickle may have none.
	Kept func(reference any) (any, error)
}

// Load reads the one object of a pickle: nil, bool, int64, float64, string, []byte, *List, Tuple, Dict, or what the
// functions of r give. Beside data it needs at most twice its size, and 100 bytes for each of at most MaxObjects
// objects: more are an error.
func (r ObjectReader) Load(data []byte) (any, error) {
	m := pickleMachine{ObjectReader: r, data: data}
	if r.Each != nil {
		m.wanted = m.reusedMemos()
	}
	for !m.stopped {
		if err := m.runOperation(); err != nil {
			return nil, fmt.Errorf("%w: at byte %d: %w", ErrFormat, m.at, err)
		}
	}
	result, err := m.pop()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	switch result.(type) {
	case stackMark, NamedGlobal, *dtype:
		return nil, fmt.Errorf("%w: the object is a %T, want data", ErrFormat, result)
	}
	return result, nil
}
