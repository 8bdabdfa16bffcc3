package criteo

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/npy"
)

// fileArray is a matrix in a file, stored in C order and little endian.
type fileArray struct {
	file    io.ReaderAt
	offset  int64 // of the first element, in bytes
	dtype   string
	rows    int
	columns int
}

// dtypeSizes contains the supported dtypes and their size in bytes.
var dtypeSizes = map[string]int{"<f4": 4, "<i4": 4, "<i8": 8, "|u1": 1, "|i1": 1, "|b1": 1, "<f8": 8}

// newArray reads the header of the array in the length bytes of file from offset on. problem describes an invalid
// array, or is "". The array must have one of the dtypes and one or two dimensions. One dimension counts as one column.
func newArray(file io.ReaderAt, offset, length int64, dtypes ...string) (a *fileArray, problem string) {
	h, err := npy.ReadHeader(bufio.NewReader(io.NewSectionReader(file, offset, length)))
	if err != nil {
		return nil, err.Error()
	}
	if a, problem = arrayFromHeader(h, length, dtypes...); problem != "" {
		return nil, problem
	}
	a.file, a.offset = file, offset+h.Length
	return a, ""
}

// arrayFromHeader checks h and returns an array without its elements. length is the size of the header and the elements
// in bytes.
func arrayFromHeader(h *npy.Header, length int64, dtypes ...string) (a *fileArray, problem string) {
	shape := h.Shape
	if len(shape) == 1 {
		shape = []int{shape[0], 1}
	}
	if !slices.Contains(dtypes, h.DType) || h.Fortran || len(shape) != 2 || shape[1] < 1 {
		return nil, fmt.Sprintf("an array of %v, want one of %v with pairs as rows, in C order", h, dtypes)
	}
	if need := h.DataSize(dtypeSizes[h.DType]); need != length-h.Length {
		return nil, fmt.Sprintf("an array of %v needs %d bytes, and there are %d", h, need, length-h.Length)
	}
	return &fileArray{dtype: h.DType, rows: shape[0], columns: shape[1]}, ""
}

// readBytes returns the bytes of rows [start, end).
func (a *fileArray) readBytes(start, end int) ([]byte, error) {
	row := int64(a.columns) * int64(dtypeSizes[a.dtype])
	data := make([]byte, int64(end-start)*row)
	if _, err := a.file.ReadAt(data, a.offset+int64(start)*row); err != nil {
		return nil, err
	}
	return data, nil
}

// decodeRows decodes rows into dst, a slice of float32 or int32.
func (a *fileArray) decodeRows(dst any, start, end int) error {
	data, err := a.readBytes(start, end)
	if err == nil {
		_, err = binary.Decode(data, binary.LittleEndian, dst)
	}
	return err
}

// readFloats returns rows of any supported dtype as float64.
func (a *fileArray) readFloats(start, end int) ([]float64, error) {
	data, err := a.readBytes(start, end)
	if err != nil {
		return nil, err
	}
	size := dtypeSizes[a.dtype]
	values := make([]float64, len(data)/size)
	for i := range values {
		values[i] = decodeElement(a.dtype, data[i*size:])
	}
	return values, nil
}

func decodeElement(dtype string, b []byte) float64 {
	switch dtype {
	case "<f4":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "<f8":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "<i4":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "<i8":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	case "|i1":
		return float64(int8(b[0]))
	}
	return float64(b[0])
}
