package record

import "math/bits"

// Delays are issue delays in ns, in 4 bytes each: exact up to 2^30 ns (a second), then to one part in 2^24 up to 78
// hours, where they end. One goroutine may set an element while others set others.
type Delays []uint32

// Each element is a number of 30 bits, to be multiplied by 2^(6*e) for the number e in the two bits above.
const (
	delayBits = 30
	delayStep = 6
	delayMost = 1<<delayBits - 1
)

// Set stores a delay, which must not be negative.
func (d Delays) Set(i int, ns int64) {
	if ns <= delayMost {
		d[i] = uint32(ns)
		return
	}
	e := (bits.Len64(uint64(ns)) - delayBits + delayStep - 1) / delayStep
	if e > 3 {
		d[i] = 3<<delayBits | delayMost
		return
	}
	d[i] = uint32(e)<<delayBits | uint32(ns>>(delayStep*e))
}

// At is the delay of an element.
func (d Delays) At(i int) int64 {
	v := d[i]
	return int64(v&delayMost) << (delayStep * (v >> delayBits))
}
