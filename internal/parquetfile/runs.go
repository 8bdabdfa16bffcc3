package parquetfile

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// bitReader reads packed numbers of a given bit width, lowest bits first.
type bitReader struct {
	from     io.ByteReader
	bits     uint64 // bits that were read but not returned, the next number lowest
	bitCount uint   // number of those bits, 0 to 7
}

// nextNumber returns the next number of width bits (up to 64).
func (b *bitReader) nextNumber(width uint) (uint64, error) {
	const half = 32
	if width > 64-8 {
		low, err := b.nextNumber(half)
		if err != nil {
			return 0, err
		}
		high, err := b.nextNumber(width - half)
		return low | high<<half, err
	}
	for b.bitCount < width {
		next, err := b.from.ReadByte()
		if err != nil {
			return 0, err
		}
		b.bits |= uint64(next) << b.bitCount
		b.bitCount += 8
	}
	n := b.bits & (1<<width - 1)
	b.bits >>= width
	b.bitCount -= width
	return n, nil
}

// dropBits drops the remaining bits of the last byte.
func (b *bitReader) dropBits() { b.bits, b.bitCount = 0, 0 }

// runDecoder decodes numbers of a fixed bit width from runs of equal numbers and from packed groups of eight: Parquet's
// RLE/bit-packing hybrid.
type runDecoder struct {
	packed bitReader
	width  uint
	left   uint64 // numbers of the current run that are left
	value  uint32 // the number of a run of equal ones
	equal  bool   // the current run consists of equal numbers
}

func newRunDecoder(from io.ByteReader, width uint) *runDecoder {
	return &runDecoder{packed: bitReader{from: from}, width: width}
}

// bitWidth returns the number of bits of numbers up to max.
func bitWidth(max int) uint { return uint(bits.Len(uint(max))) }

// nextNumber returns the next number. At the end it returns io.EOF.
func (r *runDecoder) nextNumber() (uint32, error) {
	for r.left == 0 {
		if err := r.startRun(); err != nil {
			return 0, err
		}
	}
	r.left--
	if r.equal {
		return r.value, nil
	}
	n, err := r.packed.nextNumber(r.width)
	return uint32(n), err
}

// startRun reads the header of a run.
func (r *runDecoder) startRun() error {
	from := r.packed.from
	head, err := binary.ReadUvarint(from)
	if err != nil {
		return err
	}
	r.packed.dropBits()
	if r.left, r.equal = head>>1, head&1 == 0; !r.equal {
		if r.left > 1<<60 {
			return damagedErrorf("a run of %d groups", r.left)
		}
		r.left *= 8
		return nil
	}
	r.value = 0
	for i := uint(0); i < r.width; i += 8 {
		b, err := from.ReadByte()
		if err != nil {
			return err
		}
		r.value |= uint32(b) << i
	}
	return nil
}
