package mllog

import (
	"encoding/binary"
	"slices"
)

// notHex is the value of a byte that is not a hexadecimal digit.
const notHex = 0xFF

var hexValues = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i := range 16 {
		t["0123456789ABCDEF"[i]] = byte(i)
		t["0123456789abcdef"[i]] = byte(i)
	}
	return t
}()

// badDigit returns the index of the first byte that is not a digit, or len(text).
func badDigit(text []byte) int {
	for i, c := range text {
		if hexValues[c] == notHex {
			return i
		}
	}
	return len(text)
}

// appendDecoded appends the bytes of an even number of digits in either case. If it returns false, text contains
// another byte, and the content of dst is undefined.
func appendDecoded(dst, text []byte) ([]byte, bool) {
	n := len(dst)
	if n+len(text)/2 > cap(dst) { // at least twice as much, because each step discards the old buffer
		dst = slices.Grow(dst, max(n, len(text)/2))
	}
	dst = dst[:n+len(text)/2]
	out := dst[n:]
	for len(text) >= 8 {
		four, ok := fourBytes(binary.LittleEndian.Uint64(text))
		if !ok {
			return dst, false
		}
		binary.LittleEndian.PutUint32(out, four)
		out, text = out[4:], text[8:]
	}
	for i := range out {
		high, low := hexValues[text[2*i]], hexValues[text[2*i+1]]
		if high|low > 15 {
			return dst, false
		}
		out[i] = high<<4 | low
	}
	return dst, true
}

// fourBytes converts eight digits to four bytes at once. The first digit is in the lowest bits.
func fourBytes(x uint64) (four uint32, ok bool) {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	// If bytes are below 0x80, adding a constant does not carry into the next byte and sets the highest bit from a bound
	// on.
	lower := x | 0x20*ones
	digits := (x + (0x80-'0')*ones) &^ (x + (0x80-'9'-1)*ones)
	letters := (lower + (0x80-'a')*ones) &^ (lower + (0x80-'f'-1)*ones)
	if x&high != 0 || (digits|letters)&high != high {
		return 0, false
	}
	v := x&(0x0F*ones) + 9*(x>>6&ones)     // letters have bit 6
	v = (v<<4 | v>>8) & 0x00FF00FF00FF00FF // two digits in 16 bits
	v = (v | v>>8) & 0x0000FFFF0000FFFF
	return uint32(v | v>>16), true
}
