package pickle

import (
	"fmt"
	"unicode/utf8"
)

// dtype is a numpy.dtype: byte order, kind and size.
type dtype struct{ order, name string }

func (d *dtype) String() string { return d.order + d.name }

// NumPy returns a reader for pickles of arrays and ordered dicts. It also accepts names in numpy._core, to which NumPy
// 2 moved some functions.
func NumPy() ObjectReader {
	names := map[string]func(Tuple) (any, error){
		"numpy.ndarray":           nil, // only used as an argument of _reconstruct
		"numpy.dtype":             newDType,
		"_codecs.encode":          encodeLatin1, // protocol 2 stores bytes in this form
		"__builtin__.bytes":       newEmptyBytes,
		"collections.OrderedDict": NewOrderedDict,
	}
	for _, core := range []string{"numpy.core", "numpy._core"} {
		// called with (class, (0,), b"b"); makes an empty array, which build fills
		names[core+".multiarray._reconstruct"] = func(Tuple) (any, error) { return &NumpyArray{}, nil }
		names[core+".multiarray.scalar"] = makeScalar
		names[core+".numeric._frombuffer"] = fromBuffer
	}
	return ObjectReader{Names: names}
}

// NewOrderedDict returns an empty Dict for a call of collections.OrderedDict. The pickle fills it afterwards.
func NewOrderedDict(arguments Tuple) (any, error) {
	if len(arguments) > 0 {
		return nil, fmt.Errorf("an OrderedDict of %d arguments, want none", len(arguments))
	}
	return Dict{}, nil
}

// newEmptyBytes returns empty bytes, for the form in which protocol 2 stores them.
func newEmptyBytes(arguments Tuple) (any, error) {
	if len(arguments) > 0 {
		return nil, fmt.Errorf("bytes of %d arguments, want none", len(arguments))
	}
	return []byte{}, nil
}

func newDType(arguments Tuple) (any, error) {
	if len(arguments) > 0 {
		if name, ok := arguments[0].(string); ok {
			return &dtype{"|", name}, nil
		}
	}
	return nil, fmt.Errorf("numpy.dtype of %d arguments, want a name", len(arguments))
}

func makeScalar(arguments Tuple) (any, error) {
	if len(arguments) == 2 {
		d, ok := arguments[0].(*dtype)
		data, also := arguments[1].([]byte)
		if ok && also {
			return &NumpyArray{DType: d.String(), Data: data}, nil
		}
	}
	return nil, fmt.Errorf("a NumPy scalar of %d arguments, want its dtype and bytes", len(arguments))
}

func fromBuffer(arguments Tuple) (any, error) {
	if len(arguments) == 4 {
		data, ok := arguments[0].([]byte)
		d, also := arguments[1].(*dtype)
		order, and := arguments[3].(string)
		if ok && also && and {
			shape, err := toShape(arguments[2])
			return &NumpyArray{d.String(), shape, order == "F", data}, err
		}
	}
	return nil, fmt.Errorf("an array from %d arguments, want bytes, dtype, shape and order", len(arguments))
}

// encodeLatin1 converts a str of code points below 256 to bytes.
func encodeLatin1(arguments Tuple) (any, error) {
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

// setState sets the byte order from a state of version, byte order and other fields.
func (d *dtype) setState(fields Tuple) error {
	if len(fields) >= 2 {
		if order, ok := fields[1].(string); ok {
			d.order = order
			return nil
		}
	}
	return fmt.Errorf("a dtype of %d fields, want its byte order among them", len(fields))
}

// setState sets the array from a state of version, shape, dtype, Fortran order and elements.
func (a *NumpyArray) setState(fields Tuple) (err error) {
	if len(fields) != 5 {
		return fmt.Errorf("an array of %d fields, want 5", len(fields))
	}
	d, ok := fields[2].(*dtype)
	fortran, also := fields[3].(bool)
	data, and := fields[4].([]byte)
	if !ok || !also || !and {
		return fmt.Errorf("array of %T, %T, %T, want a dtype, bool and bytes", fields[2], fields[3], fields[4])
	}
	shape, err := toShape(fields[1])
	*a = NumpyArray{d.String(), shape, fortran, data}
	return err
}

// maxAxes is the largest number of axes in NumPy.
const maxAxes = 64

func toShape(v any) ([]int, error) {
	sizes, ok := v.(Tuple)
	if !ok {
		return nil, fmt.Errorf("a shape of type %T, want a tuple", v)
	}
	if len(sizes) > maxAxes {
		return nil, fmt.Errorf("a shape of %d axes, want at most %d", len(sizes), maxAxes)
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
