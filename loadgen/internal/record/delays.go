package record

import "math/bits"

// Delays holds issue delays in ns, in 4 bytes each. Values up to 2^30 ns (a second) are exact, larger ones to one part
// in 2^24. The maximum is 78 hours. Goroutines may set different elements concurrently.
type Delays []uint32

// An element consists of a 30-bit number and, in the two bits above, an exponent e. Its value is number * 2^(6*e).
const (
	delayBits   = 30
	delayStep   = 6
	maxMantissa = 1<<delayBits - 1
)

// Set stores a delay, which must not be negative.
func (d Delays) Set(i int, ns int64) {
	if ns <= maxMantissa {
		d[i] = uint32(ns)
		return
	}
	e := (bits.Len64(uint64(ns)) - delayBits + delayStep - 1) / delayStep
	if e > 3 {
		d[i] = 3<<delayBits | maxMantissa
		return
	}
	d[i] = uint32(e)<<delayBits | uint32(ns>>(delayStep*e))
}

// At returns the delay of an element.
func (d Delays) At(i int) int64 {
	v := d[i]
	return int64(v&maxMantissa) << (delayStep * (v >> delayBits))
}
