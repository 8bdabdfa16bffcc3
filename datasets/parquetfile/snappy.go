package parquetfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// snappy unpacks a block of Snappy as it is read. Its format lets a copy reach back to the beginning of the block;
// those who write it cut their input into pieces of 64 KiB, and no copy reaches out of its piece. One that reaches
// farther back than what is kept is ErrForm.
type snappy struct {
	in      *bufio.Reader
	left    uint64 // bytes that are to come
	literal uint64 // bytes of the present literal that are to come
	window  window
}

// How far back copies of Snappy may reach: of a small page to its beginning.
const (
	leastKept  = 64 << 10
	mostKept   = 1 << 20
	mostCopied = 64 // bytes by one copy
)

func (s *snappy) reset(from io.Reader, size int64) error {
	s.in.Reset(from)
	s.literal = 0
	s.window.reset(int(min(max(size, leastKept), mostKept)))
	var err error
	if s.left, err = binary.ReadUvarint(s.in); err != nil {
		return fmt.Errorf("the length of a block: %w", noEOF(err))
	}
	if s.left != uint64(size) {
		return damaged("a page of %d bytes has a block of Snappy of %d", size, s.left)
	}
	return nil
}

// Read implements io.Reader.
func (s *snappy) Read(p []byte) (int, error) {
	if n := s.window.take(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	if s.left == 0 {
		return 0, s.end()
	}
	if err := s.fill(); err != nil {
		return 0, noEOF(err)
	}
	return s.window.take(p), nil
}

// end wants the block to end with its page.
func (s *snappy) end() error {
	if _, err := s.in.ReadByte(); err != nil {
		return err
	}
	return damaged("a block of Snappy is longer than it says")
}

// fill unpacks as much as there is room for.
func (s *snappy) fill() error {
	s.window.slide()
	for s.left > 0 && s.window.free() >= mostCopied {
		n, err := s.element()
		if err != nil {
			return err
		}
		if uint64(n) > s.left {
			return damaged("a block of Snappy is longer than it says")
		}
		s.left -= uint64(n)
	}
	return nil
}

// element unpacks the next copy, or as much of a literal as there is room for; its length is returned.
func (s *snappy) element() (int, error) {
	if s.literal > 0 {
		return s.more()
	}
	tag, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	switch high := int(tag >> 2); tag & 3 {
	case 0:
		s.literal = uint64(high) + 1
		if extra := high - 59; extra > 0 { // 60 to 63: the length stands in 1 to 4 bytes
			n, err := s.number(extra)
			if err != nil {
				return 0, err
			}
			s.literal = n + 1
		}
		return s.more()
	case 1:
		low, err := s.number(1)
		return s.copy(uint64(tag>>5)<<8|low, high&7+4, err)
	case 2:
		back, err := s.number(2)
		return s.copy(back, high+1, err)
	default:
		back, err := s.number(4)
		return s.copy(back, high+1, err)
	}
}

// more unpacks what there is room for of the present literal.
func (s *snappy) more() (int, error) {
	n, err := s.window.literal(s.in, s.literal)
	s.literal -= uint64(n)
	return n, err
}

// number reads one of n bytes, the lowest first.
func (s *snappy) number(n int) (uint64, error) {
	var number uint64
	for i := range n {
		b, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		number |= uint64(b) << (8 * i)
	}
	return number, nil
}

// copy unpacks n bytes that stand back bytes before.
func (s *snappy) copy(back uint64, n int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, err
	case back == 0:
		return 0, damaged("a copy of Snappy from itself")
	case back > uint64(s.window.end):
		return 0, fmt.Errorf("%w: a copy of Snappy %d bytes back", ErrForm, back)
	}
	return s.window.copy(int(back), uint64(n)), nil
}
