package pickle

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Write returns a pickle of v in protocol 4. v may be nil, bool, int64, float64, string, []byte, *List, Tuple, Dict, or
// *NumpyArray of numbers or strs with one or more axes. The keys of a Dict are sorted. To read arrays, Python needs
// NumPy.
func Write(v any) ([]byte, error) {
	w := pickleWriter{data: []byte{0x80, 4}}
	w.writeValue(v)
	if w.fault != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, w.fault)
	}
	return append(w.data, '.'), nil
}

type pickleWriter struct {
	data  []byte
	fault error
}

func (w *pickleWriter) appendBytes(b ...byte) { w.data = append(w.data, b...) }

func (w *pickleWriter) writeValue(v any) {
	switch v := v.(type) {
	case nil:
		w.appendBytes('N')
	case bool:
		w.appendBytes(map[bool]byte{true: 0x88, false: 0x89}[v])
	case int64:
		w.appendBytes(0x8a, 8)
		w.data = binary.LittleEndian.AppendUint64(w.data, uint64(v))
	case float64:
		w.appendBytes('G')
		w.data = binary.BigEndian.AppendUint64(w.data, math.Float64bits(v))
	case string:
		w.writeCounted(0x8d, v)
	case []byte:
		w.writeCounted(0x8e, string(v))
	case *List:
		w.appendBytes(']', '(')
		w.writeAll(v.Items...)
		w.appendBytes('e')
	case Tuple:
		w.appendBytes('(')
		w.writeAll(v...)
		w.appendBytes('t')
	case Dict:
		w.appendBytes('}', '(')
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.writeAll(key, v[key])
		}
		w.appendBytes('u')
	case *NumpyArray:
		w.writeArray(v)
	default:
		w.fault = fmt.Errorf("a %T, want data", v)
	}
}

func (w *pickleWriter) writeAll(items ...any) {
	for _, item := range items {
		w.writeValue(item)
	}
}

func (w *pickleWriter) writeCounted(op byte, text string) {
	w.appendBytes(op)
	w.data = binary.LittleEndian.AppendUint64(w.data, uint64(len(text)))
	w.appendBytes([]byte(text)...)
}

// writeGlobal writes the operation that pushes a function or class.
func (w *pickleWriter) writeGlobal(module, name string) {
	w.writeAll(module, name)
	w.appendBytes(0x93)
}

// writeArray writes operations that create an empty array and set its state.
func (w *pickleWriter) writeArray(a *NumpyArray) {
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
	w.writeGlobal("numpy.core.multiarray", "_reconstruct")
	w.appendBytes('(')
	w.writeGlobal("numpy", "ndarray")
	w.writeAll(Tuple{int64(0)}, []byte("b"))
	w.appendBytes('t', 'R', '(')
	w.writeAll(int64(1), shape)
	w.writeGlobal("numpy", "dtype")
	w.writeAll(Tuple{name, false, true})
	w.appendBytes('R')
	size, alignment, flags := int64(-1), int64(-1), int64(0)
	if _, kind, letters, err := a.parseDtype(); err == nil && kind == 'U' { // NumPy knows only the sizes of numbers
		size, alignment, flags = 4*int64(letters), 4, 8
	}
	w.writeAll(Tuple{int64(3), order, nil, nil, nil, size, alignment, flags})
	w.appendBytes('b')
	w.writeAll(a.Fortran, a.Data)
	w.appendBytes('t', 'b')
}
