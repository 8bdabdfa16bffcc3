package kserve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// bytesDatatype is the datatype whose elements are byte strings of any length, such as texts and pictures. A benchmark
// sees an element as a row of uint8: BYTES of shape [N] become uint8 of shape [N,L], where L is the length of the
// longest element, and shorter ones are padded with zeros. Zeros at the end of a row are not sent. (NumPy's dtype S has
// the same rule.)
//
// In raw contents, an element is its length in 4 little-endian bytes, followed by its bytes.
const bytesDatatype = "BYTES"

// packTexts converts rows to raw contents and their shape.
func packTexts(shape []int64, data []byte) ([]int64, []byte) {
	outer, width := shape[:len(shape)-1], int(shape[len(shape)-1])
	rows := int(backend.Elements(outer))
	raw := make([]byte, 0, len(data)+4*rows)
	for i := range rows {
		row := bytes.TrimRight(data[i*width:(i+1)*width], "\x00")
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(row))), row...)
	}
	return outer, raw
}

// unpackTexts converts raw contents to rows and their shape. The length of the rows is want's last dimension if it is
// known.
func unpackTexts(shape []int64, raw []byte, want []int64) ([]int64, []byte, error) {
	elements, width, err := splitTexts(raw)
	if err != nil {
		return nil, nil, err
	}
	if n := backend.Elements(shape); n != int64(len(elements)) {
		return nil, nil, fmt.Errorf("%d elements, want %d for shape %s", len(elements), n, backend.ShapeString(shape))
	}
	if n := len(want); n > 0 && want[n-1] >= 0 {
		if int64(width) > want[n-1] {
			return nil, nil, fmt.Errorf("an element has %d bytes, want %d at most", width, want[n-1])
		}
		width = int(want[n-1])
	}
	if width > 0 && len(elements) > maxTextBytes/width {
		return nil, nil, fmt.Errorf("%d elements of up to %d bytes are more than %d when all are as long",
			len(elements), width, maxTextBytes)
	}
	data := make([]byte, len(elements)*width)
	for i, e := range elements {
		copy(data[i*width:], e)
	}
	shape = trimOnes(shape, want[:max(len(want)-1, 0)])
	return append(shape[:len(shape):len(shape)], int64(width)), data, nil
}

// maxTextBytes is the maximum size of rows in bytes. It prevents one long element among many short ones from exhausting
// the memory.
const maxTextBytes = 256 << 20

// splitTexts returns the elements and the length of the longest one.
func splitTexts(raw []byte) (elements [][]byte, longest int, err error) {
	for len(raw) > 0 {
		if len(raw) < 4 {
			return nil, 0, fmt.Errorf("%d bytes behind element %d, want a length of 4 bytes", len(raw), len(elements))
		}
		n := binary.LittleEndian.Uint32(raw)
		raw = raw[4:]
		if uint64(n) > uint64(len(raw)) {
			return nil, 0, fmt.Errorf("element %d has a length of %d bytes, and %d are left", len(elements), n, len(raw))
		}
		elements = append(elements, raw[:n])
		longest = max(longest, int(n))
		raw = raw[n:]
	}
	return elements, longest, nil
}

// rawTexts returns the raw contents of elements.
func rawTexts(elements [][]byte) []byte {
	var raw []byte
	for _, e := range elements {
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(min(len(e), math.MaxUint32))), e...)
	}
	return raw
}
