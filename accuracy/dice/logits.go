package dice

import (
	"encoding/binary"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/half"
)

// float16Logits are n logits from element at on, two bytes each: part of data, or rounded in the memory of dst.
func float16Logits(dst []byte, d accuracy.DType, data []byte, at, n int) []byte {
	if d == accuracy.Float16 {
		return data[2*at:][:2*n]
	}
	dst = dst[:0]
	for i := range n {
		dst = binary.LittleEndian.AppendUint16(dst, half.ToFloat16(d.At(data, at+i)))
	}
	return dst
}

// argmaxClasses finds the class with the highest logit of each voxel: the first of several, and NaN above all. It
// returns how many voxels had a NaN.
func argmaxClasses(found []uint8, logits *[headClasses][]byte) (nans int) {
	a, b, c, d := logits[0], logits[1], logits[2], logits[3]
	a, b, c, d = a[:2*len(found)], b[:2*len(found)], c[:2*len(found)], d[:2*len(found)]
	for i := range found {
		best := max(sortableLogit(a[2*i:], 0), sortableLogit(b[2*i:], 1), sortableLogit(c[2*i:], 2), sortableLogit(d[2*i:],
			3))
		found[i] = uint8(headClasses - 1 - best&(headClasses-1))
		nans += int(max(best, 0) / (noNumber * headClasses))
	}
	return nans
}

// noNumber is the order of a NaN, above that of the infinity.
const (
	noNumber = 0x8000
	infinity = 0x7c00
)

// sortableLogit is a number that grows with a float16, equal for both zeros and for NaN the largest, and that of equal
// ones is higher for an earlier class. It has no branches: logits that are near to one another come in any order.
func sortableLogit(bits []byte, class int32) int32 {
	v := int32(binary.LittleEndian.Uint16(bits))
	size, negative := v&0x7fff, v<<16>>31
	none := (infinity - size) >> 31
	order := ((size^negative)-negative)&^none | noNumber&none
	return order*headClasses + headClasses - 1 - class
}
