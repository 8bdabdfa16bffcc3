// Package pickle reads Python pickles of plain data, and of objects for which its caller provides functions.
//
// In scope: protocols 2 to 5; None, bool, int, float, str, bytes, list, tuple, dict with str keys; NewOrderedDict,
// numpy.ndarray and NumPy's scalars, through the caller's functions for NumPy. Out of scope: everything else. A pickle
// is a program that may name and call anything. This reader refuses unknown names and executes nothing from the file.
package pickle

import (
	"errors"
	"fmt"
)

// Limits. The largest volume's case has 0.6 GB and about 40 objects; the index of all cases has about 10,000 objects.
const (
	MaxBytes   = 4 << 30 // of a file
	maxObjects = 1 << 20
)

// ErrFormat is wrapped by every error of this package.
var ErrFormat = errors.New("pickle")

// List is a Python list.
type List struct{ Items []any }

// Tuple is a Python tuple.
type Tuple []any

// Dict is a Python dict with str keys.
type Dict map[string]any

// NumpyArray is a numpy.ndarray or, with an empty shape, a single element.
type NumpyArray struct {
	DType   string // like numpy.dtype.str: "<f4", "|u1"
	Shape   []int
	Fortran bool   // column-major order: the first axis varies fastest
	Data    []byte // a slice of Load's data
}

// NamedGlobal is a function or class that a pickle names.
type NamedGlobal string

// ObjectReader reads pickles. The zero value accepts only plain data.
type ObjectReader struct {
	// Names contains all functions and classes that a pickle may name, by MODULE.NAME. The value is called for a call in
	// the pickle; if it is nil, calls are errors.
	Names map[string]func(arguments Tuple) (any, error)
	// MaxObjects limits the number of objects that a pickle may create. 0: 1,048,576.
	MaxObjects int
	// Each, if not nil, receives the items of the pickle's top-level list, in order. The list itself stays empty, so items
	// do not stay in memory unless Each keeps them or later items share parts of them. Load returns an error of Each.
	Each func(i int, item any) error
	// LoadPersistent returns the object for a reference to something outside the pickle. nil: such references are errors.
	LoadPersistent func(reference any) (any, error)
}

// Load returns the object in a pickle: nil, bool, int64, float64, string, []byte, *List, Tuple, Dict, or a result of
// the functions in r. It needs up to twice the size of data as additional memory, and 100 bytes per object. More than
// MaxObjects objects are an error.
func (r ObjectReader) Load(data []byte) (any, error) {
	m := pickleMachine{ObjectReader: r, data: data}
	if r.Each != nil {
		m.readIndices = m.reusedMemos()
	}
	for !m.stopped {
		if err := m.runOperation(); err != nil {
			return nil, fmt.Errorf("%w: at byte %d: %w", ErrFormat, m.position, err)
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
