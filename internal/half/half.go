package half

import (
	"encoding/binary"
	"math"
)

// Format is a number format of networks.
type Format uint8

// The formats. Single is float32; rounding to it changes nothing.
const (
	Float32 Format = iota
	Float16
	BFloat16
)

// Round returns the number of the format that is nearest to v, with ties to even, or an infinity beyond the largest
// number.
func (f Format) Round(v float32) float32 {
	switch f {
	case Float16:
		return fromFloat16(toFloat16(v))
	case BFloat16:
		return fromBFloat16(toBFloat16(v))
	}
	return v
}

// RoundAll rounds all values in place.
func (f Format) RoundAll(values []float32) {
	if f == Float32 {
		return
	}
	for i, v := range values {
		values[i] = f.Round(v)
	}
}

// Encode writes values to dst, two bytes each. The format must be Float16 or BFloat16.
func (f Format) Encode(dst []byte, values []float32) {
	if f == BFloat16 {
		for i, v := range values {
			binary.LittleEndian.PutUint16(dst[2*i:], toBFloat16(v))
		}
		return
	}
	for i, v := range values {
		binary.LittleEndian.PutUint16(dst[2*i:], toFloat16(v))
	}
}

// ToFloat16 returns the encoding of the float16 that is nearest to v, with ties to even.
func ToFloat16(v float64) uint16 {
	f := float32(v)
	if float64(f) == v || v != v {
		return toFloat16(f)
	}
	bits := math.Float32bits(f) // rounded towards 0 and made odd, so the bits that float32 drops still decide ties
	if math.Abs(float64(f)) > math.Abs(v) {
		bits--
	}
	return toFloat16(math.Float32frombits(bits | 1))
}

// Decode reads len(dst) values in the encoding of Encode.
func (f Format) Decode(dst []float32, data []byte) {
	from := fromFloat16
	if f == BFloat16 {
		from = fromBFloat16
	}
	for i := range dst {
		dst[i] = from(binary.LittleEndian.Uint16(data[2*i:]))
	}
}

func toBFloat16(v float32) uint16 {
	bits := math.Float32bits(v)
	if v != v {
		return uint16(bits>>16) | 1<<6 // stays NaN
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

func fromBFloat16(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// The parts of a float16: 1 sign bit, 5 exponent bits, 10 fraction bits.
const (
	bias16         = 15
	infinite16     = 0x7c00
	minSubnormal16 = 0x1p-24 // distance between subnormal numbers
)

func toFloat16(v float32) uint16 {
	sign := uint16(math.Float32bits(v) >> 16 & 0x8000)
	size := math.Float32bits(v) &^ (1 << 31)
	switch {
	case v != v:
		return sign | infinite16 | 1<<9
	case size >= 0x477ff000: // at least half a step above the largest number, 65504
		return sign | infinite16
	case size < 0x38800000: // below the smallest normal number
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(size))/minSubnormal16))
	}
	size += 0xfff + size>>13&1
	return sign | uint16(size>>13-(127-bias16)<<10)
}

func fromFloat16(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits&0x8000)<<16, uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch exponent {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*minSubnormal16))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-bias16)<<23 | fraction<<13)
}
