package dice

import (
	"encoding/binary"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/half"
)

// float16Logits returns n logits of two bytes each, starting at element first. It returns a part of data, or rounded
// values in dst.
func float16Logits(dst []byte, d accuracy.DType, data []byte, first, n int) []byte {
	if d == accuracy.Float16 {
		return data[2*first:][:2*n]
	}
	dst = dst[:0]
	for i := range n {
		dst = binary.LittleEndian.AppendUint16(dst, half.ToFloat16(d.At(data, first+i)))
	}
	return dst
}

// argmaxClasses sets found to the class with the highest logit of each voxel. Among equal logits the first class wins;
// NaN ranks above all numbers. It returns the number of voxels with a NaN.
func argmaxClasses(found []uint8, logits *[headClasses][]byte) (nans int) {
	a, b, c, d := logits[0], logits[1], logits[2], logits[3]
	a, b, c, d = a[:2*len(found)], b[:2*len(found)], c[:2*len(found)], d[:2*len(found)]
	for i := range found {
		best := max(sortableLogit(a[2*i:], 0), sortableLogit(b[2*i:], 1), sortableLogit(c[2*i:], 2), sortableLogit(d[2*i:],
			3))
		found[i] = uint8(headClasses - 1 - best&(headClasses-1))
		nans += int(max(best, 0) / (nanOrder * headClasses))
	}
	return nans
}

// nanOrder is the sort key of a NaN, above that of infinity.
const (
	nanOrder     = 0x8000
	infinityBits = 0x7c00
)

// sortableLogit returns a number that increases with a float16 logit. Both zeros are equal, and NaN is the largest.
// Among equal logits, an earlier class has a higher number. It avoids branches because nearby logits are in
// unpredictable order.
func sortableLogit(bits []byte, class int32) int32 {
	v := int32(binary.LittleEndian.Uint16(bits))
	size, negative := v&0x7fff, v<<16>>31
	none := (infinityBits - size) >> 31
	order := ((size^negative)-negative)&^none | nanOrder&none
	return order*headClasses + headClasses - 1 - class
}
