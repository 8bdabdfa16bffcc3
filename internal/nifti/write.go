package nifti

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// WritableVoxel is a voxel type that WriteVolume stores unchanged.
type WritableVoxel interface{ int16 | uint8 }

// WriteVolume writes a volume to a .nii.gz file. values are in C order of shape, the last axis fastest; spacing is in
// millimetres. In the order Kept, the file has the orientation of KiTS19: the first axis runs from the highest to the
// lowest slice, the second to the back, the third to the left (IPL). In the order Reversed, it has the orientation of
// BraTS: the file's axes run to the left, the back and up (LPS), and are the last, second and first axes of shape.
func WriteVolume[T WritableVoxel](path string, order VoxelOrder, shape [3]int, spacing [3]float64,
	values []T) (err error) {
	if len(values) != shape[0]*shape[1]*shape[2] || max(shape[0], shape[1], shape[2]) > math.MaxInt16 ||
		min(shape[0], shape[1], shape[2]) < 1 {
		return fmt.Errorf("%w: %d values for shape %v, want one for each voxel and 1 to %d voxels a side", ErrFormat,
			len(values), shape, math.MaxInt16)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(packed, 1<<16)
	if err := encodeVolume(w, order, shape, spacing, values); err != nil {
		return err
	}
	return errors.Join(w.Flush(), packed.Close())
}

// encodeVolume writes the header, an empty list of extensions, and the voxels with the file's first axis fastest.
func encodeVolume[T WritableVoxel](w io.Writer, order VoxelOrder, shape [3]int, spacing [3]float64, values []T) error {
	const offset = headerSize + 4
	raw := rawHeader{SizeOfHeader: headerSize, Offset: offset, Slope: 1, SForm: 1, Magic: [4]byte{'n', '+', '1', 0}}
	raw.Dim, raw.Spacing = [8]int16{0: 3, 4: 1, 5: 1, 6: 1, 7: 1}, [8]float32{0: 1}
	raw.Type, raw.BitsPerVoxel = int16(Uint8), 8
	if _, ok := any(values).([]int16); ok {
		raw.Type, raw.BitsPerVoxel = int16(Int16), 16
	}
	for axis := range shape {
		from, row, sign := axis, 2-axis, float32(-1)
		if order == SimpleITKOrder {
			from, row = 2-axis, axis
			if axis == 2 {
				sign = 1
			}
		}
		raw.Dim[axis+1], raw.Spacing[axis+1] = int16(shape[from]), float32(spacing[from])
		raw.Rows[row][axis] = sign * float32(spacing[from])
	}
	var head bytes.Buffer
	if err := binary.Write(&head, binary.LittleEndian, raw); err != nil {
		return err
	}
	if _, err := w.Write(append(head.Bytes(), make([]byte, offset-headerSize)...)); err != nil {
		return err
	}
	if order == SimpleITKOrder {
		return binary.Write(w, binary.LittleEndian, values)
	}
	return writeTransposed(w, shape, values)
}

// writeTransposed writes voxels with the first axis fastest.
func writeTransposed[T WritableVoxel](w io.Writer, shape [3]int, values []T) error {
	plane := make([]T, shape[0]*shape[1])
	for x := range shape[2] {
		for y := range shape[1] {
			for z := range shape[0] {
				plane[y*shape[0]+z] = values[(z*shape[1]+y)*shape[2]+x]
			}
		}
		if err := binary.Write(w, binary.LittleEndian, plane); err != nil {
			return err
		}
	}
	return nil
}
