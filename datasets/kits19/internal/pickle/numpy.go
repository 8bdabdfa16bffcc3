package pickle

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// dtype is a numpy.dtype: its byte order, kind and size.
type dtype struct{ order, name string }

func (d *dtype) String() string { return d.order + d.name }

// call runs the operations that name, call and set up objects.
func (m *machine) call(op byte) (bool, error) {
	switch op {
	case 'c':
		module, err := m.line()
		if err != nil {
			return true, err
		}
		name, err := m.line()
		if err != nil {
			return true, err
		}
		return true, m.push(global{module, name})
	case 0x93:
		return true, m.stackGlobal()
	case 'R':
		return true, m.reduce()
	case 'b':
		return true, m.build()
	}
	return false, nil
}

func (m *machine) stackGlobal() error {
	items, err := m.popN(2)
	if err != nil {
		return err
	}
	module, ok := items[0].(string)
	name, also := items[1].(string)
	if !ok || !also {
		return fmt.Errorf("a function named by %T and %T, want strs", items[0], items[1])
	}
	return m.push(global{module, name})
}

// reduce calls a function with a tuple of arguments.
func (m *machine) reduce() error {
	items, err := m.popN(2)
	if err != nil {
		return err
	}
	function, ok := items[0].(global)
	arguments, also := items[1].(Tuple)
	if !ok || !also {
		return fmt.Errorf("a call of a %T with a %T, want a function and a tuple", items[0], items[1])
	}
	made, err := m.invoke(function, arguments)
	if err != nil {
		return err
	}
	return m.push(made)
}

// invoke calls a function, and bounds the bytes that are made: each str of a pickle becomes bytes once.
func (m *machine) invoke(function global, arguments Tuple) (any, error) {
	made, err := function.call(arguments)
	if data, ok := made.([]byte); ok {
		if m.encoded += len(data); m.encoded > len(m.data) {
			return nil, errors.New("one str is made to bytes many times")
		}
	}
	return made, err
}

// call is the result of the functions that pickles of arrays need. NumPy 2 has moved them to numpy._core.
func (g global) call(arguments Tuple) (any, error) {
	module := strings.Replace(g.module, "numpy._core", "numpy.core", 1)
	switch module + "." + g.name {
	case "numpy.core.multiarray._reconstruct": // of (class, (0,), b"b"): an empty array that build fills
		return &Array{}, nil
	case "numpy.dtype":
		return newDType(arguments)
	case "numpy.core.multiarray.scalar":
		return scalar(arguments)
	case "numpy.core.numeric._frombuffer":
		return fromBuffer(arguments)
	case "_codecs.encode": // how protocol 2 writes bytes
		return encode(arguments)
	}
	return nil, fmt.Errorf("a call of %s.%s, which is no plain data", g.module, g.name)
}

func newDType(arguments Tuple) (*dtype, error) {
	if len(arguments) > 0 {
		if name, ok := arguments[0].(string); ok {
			return &dtype{"|", name}, nil
		}
	}
	return nil, fmt.Errorf("numpy.dtype of %d arguments, want a name", len(arguments))
}

func scalar(arguments Tuple) (*Array, error) {
	if len(arguments) == 2 {
		d, ok := arguments[0].(*dtype)
		data, also := arguments[1].([]byte)
		if ok && also {
			return &Array{DType: d.String(), Data: data}, nil
		}
	}
	return nil, fmt.Errorf("a NumPy scalar of %d arguments, want its dtype and bytes", len(arguments))
}

func fromBuffer(arguments Tuple) (*Array, error) {
	if len(arguments) == 4 {
		data, ok := arguments[0].([]byte)
		d, also := arguments[1].(*dtype)
		order, and := arguments[3].(string)
		if ok && also && and {
			shape, err := shapeOf(arguments[2])
			return &Array{d.String(), shape, order == "F", data}, err
		}
	}
	return nil, fmt.Errorf("an array from %d arguments, want bytes, dtype, shape and order", len(arguments))
}

// encode turns a str of code points below 256 into bytes.
func encode(arguments Tuple) ([]byte, error) {
	text, ok := "", false
	if len(arguments) > 0 {
		text, ok = arguments[0].(string)
	}
	if !ok {
		return nil, fmt.Errorf("_codecs.encode of %d arguments, want a str", len(arguments))
	}
	data := make([]byte, 0, utf8.RuneCountInString(text))
	for _, r := range text {
		if r > 0xff {
			return nil, fmt.Errorf("character %q in bytes, want one below 256", r)
		}
		data = append(data, byte(r))
	}
	return data, nil
}

// build sets the state of the array or dtype below the top of the stack.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	top, err := m.top()
	if err != nil {
		return err
	}
	fields, ok := state.(Tuple)
	switch object := top.(type) {
	case *Array:
		if ok && len(fields) == 5 {
			return object.build(fields)
		}
	case *dtype:
		if ok && len(fields) >= 2 {
			object.order, ok = fields[1].(string)
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("state %T for a %T, want that of an array or dtype", state, top)
}

// build takes version, shape, dtype, whether the order is Fortran's, and the elements.
func (a *Array) build(fields Tuple) (err error) {
	d, ok := fields[2].(*dtype)
	fortran, also := fields[3].(bool)
	data, and := fields[4].([]byte)
	if !ok || !also || !and {
		return fmt.Errorf("array of %T, %T, %T, want a dtype, bool and bytes", fields[2], fields[3], fields[4])
	}
	shape, err := shapeOf(fields[1])
	*a = Array{d.String(), shape, fortran, data}
	return err
}

// mostAxes is how many axes an array of NumPy may have.
const mostAxes = 64

func shapeOf(v any) ([]int, error) {
	sizes, ok := v.(Tuple)
	if !ok {
		return nil, fmt.Errorf("a shape of type %T, want a tuple", v)
	}
	if len(sizes) > mostAxes {
		return nil, fmt.Errorf("a shape of %d axes, want at most %d", len(sizes), mostAxes)
	}
	shape := make([]int, len(sizes))
	for i, size := range sizes {
		n, ok := size.(int64)
		if !ok || n < 0 || n > 1<<40 {
			return nil, fmt.Errorf("a shape with %v, want whole numbers of at least 0", size)
		}
		shape[i] = int(n)
	}
	return shape, nil
}
