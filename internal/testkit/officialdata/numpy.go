package officialdata

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// number is a type of array elements.
type number interface {
	int32 | int64 | float32 | float64
}

// array returns the bytes of a .npy file with a NumPy array in C order.
func array[T number](values []T, shape ...int) []byte {
	kinds := map[string]string{"int32": "<i4", "int64": "<i8", "float32": "<f4", "float64": "<f8"}
	kind := kinds[fmt.Sprintf("%T", *new(T))]
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		sizes += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sizes)
	const before = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	file, err := binary.Append(append(file, header...), binary.LittleEndian, values)
	if err != nil {
		panic(err) // cannot happen for a slice of numbers
	}
	return file
}

// archive returns a .npz file of arrays by their names, stored or compressed like numpy.savez or
// numpy.savez_compressed.
func archive(arrays map[string][]byte, method uint16) ([]byte, error) {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		member, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err != nil {
			return nil, err
		}
		if _, err := member.Write(arrays[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return file.Bytes(), err
}
