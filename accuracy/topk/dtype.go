package topk

import (
	"encoding/binary"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes returns the element types of payloads that the official script accepts, starting with its default.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{accuracy.Float32, accuracy.Int32, accuracy.Int64}
}

// amongTopFive reports whether one of the first five elements of a payload, truncated toward zero, equals class. It
// skips elements that are not numbers.
func amongTopFive(d accuracy.DType, data []byte, class int64) bool {
	d, err := DTypes().Resolve(d)
	if err != nil {
		return false
	}
	for i := range min(5, len(data)/d.Size()) {
		if found, err := elementAt(d, data, i); err == nil && found == class {
			return true
		}
	}
	return false
}

// Class returns the class in a payload, as the scorer reads it.
func Class(d accuracy.DType, payload []byte) (int64, error) { return firstClass(d, payload) }

// firstClass returns element 0 of the payload, truncated toward zero.
func firstClass(d accuracy.DType, data []byte) (int64, error) {
	d, err := DTypes().Resolve(d)
	if err != nil {
		return 0, err
	}
	if size := d.Size(); len(data) == 0 || len(data)%size != 0 {
		return 0, fmt.Errorf("payload of %d bytes, want a multiple of %d above 0 for dtype %v; was the log written with "+
			"another dtype?", len(data), size, d)
	}
	return elementAt(d, data, 0)
}

// elementAt returns element i of the payload, truncated toward zero.
func elementAt(d accuracy.DType, data []byte, i int) (int64, error) {
	if d == accuracy.Int64 {
		return int64(binary.LittleEndian.Uint64(data[8*i:])), nil // exact, without a conversion to float64
	}
	v, err := accuracy.Truncate(d.At(data, i))
	if err != nil {
		return 0, fmt.Errorf("the class: %w", err)
	}
	return v, nil
}
