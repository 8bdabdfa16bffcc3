package jpeg

import (
	"bytes"
	"encoding/binary"
)

// bitReader reads the entropy-coded data of a restart interval. The stuffed zero bytes (T.81 F.1.2.3) are removed
// beforehand, so that reading bits does not have to check for them.
type bitReader struct {
	data        []byte // data followed by slack zero bytes
	end         int    // length of the data
	pos         int    // position of the next byte to load
	accumulator uint64 // next bits, starting with the most significant
	validBits   uint   // number of valid bits in acc
}

// paddingBytes exceeds the size of any block: 64 codes of 16 bits with 15 value bits each, and one load.
const paddingBytes = 64*(16+15)/8 + 8

// loadInterval loads the interval that starts at data[0]. It returns the position of the marker that ends it, or
// len(data) if there is none.
func (b *bitReader) loadInterval(data []byte) int {
	if need := len(data) + paddingBytes; cap(b.data) < need {
		b.data = make([]byte, 0, need)
	}
	b.data = b.data[:0]
	at := 0
	for at < len(data) {
		i := bytes.IndexByte(data[at:], markerByte)
		if i < 0 {
			b.data = append(b.data, data[at:]...)
			at = len(data)
			break
		}
		b.data = append(b.data, data[at:at+i]...)
		at += i
		if at+1 == len(data) || data[at+1] != 0 {
			break
		}
		b.data = append(b.data, markerByte)
		at += 2
	}
	b.end, b.pos, b.accumulator, b.validBits = len(b.data), 0, 0, 0
	b.data = b.data[:b.end+paddingBytes]
	clear(b.data[b.end:])
	return at
}

// isOverrun reports whether more bits were read than exist.
func (b *bitReader) isOverrun() bool { return 8*b.pos-int(b.validBits) > 8*b.end }

// refill makes 56 or more bits valid. After the data, it adds zeros. Once isOverrun is true, refill may be called only
// until the current block is decoded, because the padding lasts no longer.
func (b *bitReader) refill() {
	b.accumulator |= binary.BigEndian.Uint64(b.data[b.pos:]) >> (b.validBits & 63)
	b.pos += int(63-b.validBits) >> 3
	b.validBits |= 56
}

// takeBits returns the next n bits, 0 to 16, which must be valid.
func (b *bitReader) takeBits(n uint) int {
	v := int(b.accumulator >> 1 >> ((63 - n) & 63))
	b.accumulator <<= n & 63
	b.validBits -= n
	return v
}

// signExtend converts n value bits to the signed value that they encode (T.81 F.2.2.1, table F.1).
func signExtend(v int, n uint) int {
	if v < 1<<n>>1 {
		return v - 1<<n + 1
	}
	return v
}
