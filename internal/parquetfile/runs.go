package parquetfile

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// bitsOf hands out numbers of so many bits that lie one after the other, the first one lowest.
type bitsOf struct {
	from io.ByteReader
	bits uint64 // read and not handed out, the next number lowest
	have uint   // how many those are, fewer than 8
}

// nextNumber returns the next number of width bits, 64 at most.
func (b *bitsOf) nextNumber(width uint) (uint64, error) {
	const half = 32
	if width > 64-8 {
		low, err := b.nextNumber(half)
		if err != nil {
			return 0, err
		}
		high, err := b.nextNumber(width - half)
		return low | high<<half, err
	}
	for b.have < width {
		next, err := b.from.ReadByte()
		if err != nil {
			return 0, err
		}
		b.bits |= uint64(next) << b.have
		b.have += 8
	}
	n := b.bits & (1<<width - 1)
	b.bits >>= width
	b.have -= width
	return n, nil
}

// dropBits forgets what is left of the last byte.
func (b *bitsOf) dropBits() { b.bits, b.have = 0, 0 }

// runDecoder decodes numbers of so many bits, as runs of equal ones and groups of eight that are packed: Parquet's
// hybrid of run lengths and bits (RLE of the format's description of encodings).
type runDecoder struct {
	packed bitsOf
	width  uint
	left   uint64 // numbers of the present run
	value  uint32 // of a run of equal ones
	equal  bool
}

func newRuns(from io.ByteReader, width uint) *runDecoder {
	return &runDecoder{packed: bitsOf{from: from}, width: width}
}

// widthOf is how many bits a number has that is at most most.
func widthOf(most int) uint { return uint(bits.Len(uint(most))) }

// nextNumber returns the next number. The error is io.EOF where there is none.
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

// startRun reads the head of a run.
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
