package officialdata

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
)

// The datatypes of NIfTI files.
const (
	niftiUint8   = 2
	niftiFloat64 = 64
)

// nifti returns a .nii.gz file of a volume of depth x height x width, in C order. Like those of KiTS19, its axes run
// downwards from slice to slice, to the back and to the left.
func nifti(datatype int16, volume []float64, shape [3]int, spacing [3]float32) ([]byte, error) {
	file := niftiHeader(datatype, shape, spacing)
	for i := range volume { // the first axis varies fastest in the file
		z, y, x := i%shape[0], i/shape[0]%shape[1], i/shape[0]/shape[1]
		v := volume[(z*shape[1]+y)*shape[2]+x]
		if datatype == niftiUint8 {
			file = append(file, uint8(v))
		} else {
			file = binary.LittleEndian.AppendUint64(file, math.Float64bits(v))
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(file); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}

// niftiHeader returns the 348 bytes of the header, and 4 bytes that state that there are no extensions.
func niftiHeader(datatype int16, shape [3]int, spacing [3]float32) []byte {
	header := make([]byte, 352)
	put16 := func(at int, v int) { binary.LittleEndian.PutUint16(header[at:], uint16(v)) }
	put32 := func(at int, v float32) { binary.LittleEndian.PutUint32(header[at:], math.Float32bits(v)) }
	binary.LittleEndian.PutUint32(header, 348)
	put16(40, 3)  // number of dimensions
	put32(76, -1) // pixdim[0]
	for i := range 7 {
		put16(42+2*i, 1)
	}
	for i := range 3 {
		put16(42+2*i, shape[i])
		put32(80+4*i, spacing[i])
		// srow_x, srow_y, srow_z: the last axis runs to the left, the middle one to the back, the first down.
		put32(280+16*i+4*(2-i), -spacing[2-i])
	}
	put16(70, int(datatype))
	put16(72, map[int16]int{niftiUint8: 8, niftiFloat64: 64}[datatype])
	put32(108, 352) // offset of the voxels
	put32(112, 1)   // slope
	put16(254, 1)   // the affine transformation is the scanner's
	copy(header[344:], "n+1\x00")
	return header
}
