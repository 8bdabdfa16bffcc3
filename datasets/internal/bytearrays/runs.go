package bytearrays

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// runs are numbers of so many bits, as runs of equal ones and groups of eight that are packed: Parquet's hybrid of
// run lengths and bits (RLE of the format's description of encodings).
type runs struct {
	from  io.ByteReader
	width uint
	left  uint64 // numbers of the present run
	value uint32 // of a run of equal ones
	equal bool
	bits  uint64 // read and not handed out, the next number lowest
	have  uint   // how many those are
}

func newRuns(from io.ByteReader, width uint) *runs { return &runs{from: from, width: width} }

// widthOf is how many bits a number has that is at most most.
func widthOf(most int) uint { return uint(bits.Len(uint(most))) }

// next is the next number. The error is io.EOF where there is none.
func (r *runs) next() (uint32, error) {
	for r.left == 0 {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	r.left--
	if r.equal {
		return r.value, nil
	}
	for r.have < r.width {
		b, err := r.from.ReadByte()
		if err != nil {
			return 0, err
		}
		r.bits |= uint64(b) << r.have
		r.have += 8
	}
	n := uint32(r.bits & (1<<r.width - 1))
	r.bits >>= r.width
	r.have -= r.width
	return n, nil
}

// begin reads the head of a run.
func (r *runs) begin() error {
	head, err := binary.ReadUvarint(r.from)
	if err != nil {
		return err
	}
	r.bits, r.have = 0, 0
	if r.left, r.equal = head>>1, head&1 == 0; !r.equal {
		if r.left > 1<<60 {
			return fmt.Errorf("%w: a run of %d groups", errDamaged, r.left)
		}
		r.left *= 8
		return nil
	}
	r.value = 0
	for i := uint(0); i < r.width; i += 8 {
		b, err := r.from.ReadByte()
		if err != nil {
			return err
		}
		r.value |= uint32(b) << i
	}
	return nil
}
