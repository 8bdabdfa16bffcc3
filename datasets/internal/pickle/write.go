package pickle

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Write returns the pickle, of protocol 4, of what Load returns: nil, bool, int64, float64, string, []byte, *List,
// Tuple, Dict, whose keys are sorted, and *Array of numbers or strs with at least one axis. Python reads it with NumPy.
func Write(v any) ([]byte, error) {
	w := writer{data: []byte{0x80, 4}}
	w.write(v)
	if w.fault != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, w.fault)
	}
	return append(w.data, '.'), nil
}

type writer struct {
	data  []byte
	fault error
}

func (w *writer) add(b ...byte) { w.data = append(w.data, b...) }

func (w *writer) write(v any) {
	switch v := v.(type) {
	case nil:
		w.add('N')
	case bool:
		w.add(map[bool]byte{true: 0x88, false: 0x89}[v])
	case int64:
		w.add(0x8a, 8)
		w.data = binary.LittleEndian.AppendUint64(w.data, uint64(v))
	case float64:
		w.add('G')
		w.data = binary.BigEndian.AppendUint64(w.data, math.Float64bits(v))
	case string:
		w.counted(0x8d, v)
	case []byte:
		w.counted(0x8e, string(v))
	case *List:
		w.add(']', '(')
		w.all(v.Items...)
		w.add('e')
	case Tuple:
		w.add('(')
		w.all(v...)
		w.add('t')
	case Dict:
		w.add('}', '(')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.all(key, v[key])
		}
		w.add('u')
	case *Array:
		w.array(v)
	default:
		w.fault = fmt.Errorf("a %T, want data", v)
	}
}

func (w *writer) all(items ...any) {
	for _, item := range items {
		w.write(item)
	}
}

func (w *writer) counted(op byte, text string) {
	w.add(op)
	w.data = binary.LittleEndian.AppendUint64(w.data, uint64(len(text)))
	w.add([]byte(text)...)
}

// name pushes a function or class.
func (w *writer) name(module, name string) {
	w.all(module, name)
	w.add(0x93)
}

// array makes an empty array and sets it up.
func (w *writer) array(a *Array) {
	if len(a.Shape) == 0 {
		w.fault = fmt.Errorf("an array of %s without axes, want one with them", a.DType)
	}
	order, name := "|", strings.TrimLeft(a.DType, "<>|=")
	if len(name) < len(a.DType) {
		order = a.DType[:1]
	}
	shape := make(Tuple, len(a.Shape))
	for i, n := range a.Shape {
		shape[i] = int64(n)
	}
	w.name("numpy.core.multiarray", "_reconstruct")
	w.add('(')
	w.name("numpy", "ndarray")
	w.all(Tuple{int64(0)}, []byte("b"))
	w.add('t', 'R', '(')
	w.all(int64(1), shape)
	w.name("numpy", "dtype")
	w.all(Tuple{name, false, true})
	w.add('R')
	size, alignment, flags := int64(-1), int64(-1), int64(0)
	if _, kind, letters, err := a.kind(); err == nil && kind == 'U' { // NumPy knows the sizes of numbers alone
		size, alignment, flags = 4*int64(letters), 4, 8
	}
	w.all(Tuple{int64(3), order, nil, nil, nil, size, alignment, flags})
	w.add('b')
	w.all(a.Fortran, a.Data)
	w.add('t', 'b')
}
