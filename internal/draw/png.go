package draw

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
)

const (
	maxStored    = 0xffff // bytes in one stored block of a deflate stream (RFC 1951, 3.2.4)
	storedHeader = 5
	chunkExtra   = 12 // length, type and checksum of a PNG chunk
)

// PNG encodes the picture as an 8-bit RGB PNG of unfiltered, uncompressed scan lines. The file is larger than other
// PNGs, but its bytes never change, and writing and reading are quick.
func (c *Canvas) PNG() []byte {
	blocks := (len(c.data) + maxStored - 1) / maxStored
	idat := 2 + blocks*storedHeader + len(c.data) + 4
	out := make([]byte, 0, 8+(chunkExtra+13)+(chunkExtra+idat)+chunkExtra)
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	out = appendChunk(out, "IHDR", c.appendHeader)
	out = appendChunk(out, "IDAT", c.appendPixels)
	return appendChunk(out, "IEND", func(b []byte) []byte { return b })
}

// appendChunk appends a PNG chunk. The function body appends the chunk's contents.
func appendChunk(out []byte, kind string, body func([]byte) []byte) []byte {
	start := len(out)
	out = append(out, "\x00\x00\x00\x00"...)
	out = body(append(out, kind...))
	binary.BigEndian.PutUint32(out[start:], uint32(len(out)-start-8))
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start+4:]))
}

// appendHeader appends the contents of IHDR: size, 8 bits, colour type 2 (RGB), no interlacing.
func (c *Canvas) appendHeader(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(c.Width))
	b = binary.BigEndian.AppendUint32(b, uint32(c.Height))
	return append(b, 8, 2, 0, 0, 0)
}

// appendPixels appends the scan lines as a zlib stream of stored blocks (RFC 1950).
func (c *Canvas) appendPixels(b []byte) []byte {
	b = append(b, 0x78, 0x01)
	for rest := c.data; len(rest) > 0; {
		n := min(len(rest), maxStored)
		final := byte(0)
		if n == len(rest) {
			final = 1
		}
		b = append(b, final)
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
		b = binary.LittleEndian.AppendUint16(b, ^uint16(n))
		b = append(b, rest[:n]...)
		rest = rest[n:]
	}
	return binary.BigEndian.AppendUint32(b, adler32.Checksum(c.data))
}
