package jpeg

import (
	"bytes"
	"encoding/binary"
)

// bitReader reads the entropy-coded data of one restart interval, freed of its stuffed zero bytes (T.81 F.1.2.3)
// beforehand, so that reading bits need not look for them.
type bitReader struct {
	buf []byte // the data and slack zero bytes
	end int    // length of the data
	pos int    // of the next byte to load
	acc uint64 // the next bits, from the top
	n   uint   // how many of them count
}

// slack is more than the bits of one block can take: 64 codes of 16 bits with 15 more each, and one load.
const slack = 64*(16+15)/8 + 8

// loadInterval takes the data of the interval that begins at data[0] and returns the position of the marker that ends
// it, len(data) where none does.
func (b *bitReader) loadInterval(data []byte) int {
	if need := len(data) + slack; cap(b.buf) < need {
		b.buf = make([]byte, 0, need)
	}
	b.buf = b.buf[:0]
	at := 0
	for at < len(data) {
		i := bytes.IndexByte(data[at:], markerByte)
		if i < 0 {
			b.buf = append(b.buf, data[at:]...)
			at = len(data)
			break
		}
		b.buf = append(b.buf, data[at:at+i]...)
		at += i
		if at+1 == len(data) || data[at+1] != 0 {
			break
		}
		b.buf = append(b.buf, markerByte)
		at += 2
	}
	b.end, b.pos, b.acc, b.n = len(b.buf), 0, 0, 0
	b.buf = b.buf[:b.end+slack]
	clear(b.buf[b.end:])
	return at
}

// overrun reports whether more bits were read than there are.
func (b *bitReader) overrun() bool { return 8*b.pos-int(b.n) > 8*b.end }

// refill makes at least 56 bits count, reading zeros behind the data. It must not be called more often than one block
// needs after overrun has become true.
func (b *bitReader) refill() {
	b.acc |= binary.BigEndian.Uint64(b.buf[b.pos:]) >> (b.n & 63)
	b.pos += int(63-b.n) >> 3
	b.n |= 56
}

// takeBits returns the next n bits, 0 to 16, that a refill has made count.
func (b *bitReader) takeBits(n uint) int {
	v := int(b.acc >> 1 >> ((63 - n) & 63))
	b.acc <<= n & 63
	b.n -= n
	return v
}

// signExtend turns n bits into the signed value that they code (T.81 F.2.2.1, table F.1).
func signExtend(v int, n uint) int {
	if v < 1<<n>>1 {
		return v - 1<<n + 1
	}
	return v
}
