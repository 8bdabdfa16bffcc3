package squad

import (
	"encoding/binary"
	"math"
)

// Logits contains a model's outputs for consecutive features, Size positions each. They are in Start and End, which
// have the same length, or in Pairs.
type Logits struct {
	Start, End, Pairs []float32
	Size              int
}

// Put writes the payload of feature i: pairs of little-endian float32 values. It writes the logits of the first n
// positions, limited by Size and the length of payload, and fills the rest with Absent.
func (l Logits) Put(payload []byte, i, n int) {
	n = min(n, len(payload)/8)
	from := i * l.Size
	put := func(at int, start, end float32) {
		binary.LittleEndian.PutUint32(payload[8*at:], math.Float32bits(start))
		binary.LittleEndian.PutUint32(payload[8*at+4:], math.Float32bits(end))
	}
	if l.Pairs != nil {
		for k := range n {
			put(k, l.Pairs[2*(from+k)], l.Pairs[2*(from+k)+1])
		}
	} else {
		end := l.End[from:][:n]
		for k, start := range l.Start[from:][:n] {
			put(k, start, end[k])
		}
	}
	for k := n; k < len(payload)/8; k++ {
		put(k, Absent, Absent)
	}
}
