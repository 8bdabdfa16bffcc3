package bytearrays

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
	window  [kept + room]byte
	read    int // of the window that is handed out
	end     int // of the window that is unpacked
}

const (
	kept       = 64 << 10
	room       = 64 << 10
	mostCopied = 64 // by one copy
)

func (s *snappy) reset(from io.Reader) error {
	s.in.Reset(from)
	s.literal, s.read, s.end = 0, 0, 0
	var err error
	if s.left, err = binary.ReadUvarint(s.in); err != nil {
		return fmt.Errorf("the length of a block of Snappy: %w", noEOF(err))
	}
	return nil
}

func (s *snappy) Read(p []byte) (int, error) {
	if s.read == s.end {
		if s.left == 0 {
			return 0, io.EOF
		}
		if err := s.fill(); err != nil {
			return 0, noEOF(err)
		}
	}
	n := copy(p, s.window[s.read:s.end])
	s.read += n
	return n, nil
}

// fill unpacks as much as there is room for.
func (s *snappy) fill() error {
	if s.end > kept {
		copy(s.window[:kept], s.window[s.end-kept:s.end])
		s.end = kept
	}
	s.read = s.end
	for s.left > 0 && len(s.window)-s.end >= mostCopied {
		n, err := s.element()
		if err != nil {
			return err
		}
		if uint64(n) > s.left {
			return fmt.Errorf("%w: a block of Snappy is longer than it says", errDamaged)
		}
		s.left -= uint64(n)
		s.end += n
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
	n := int(min(s.literal, uint64(len(s.window)-s.end)))
	if _, err := io.ReadFull(s.in, s.window[s.end:s.end+n]); err != nil {
		return 0, err
	}
	s.literal -= uint64(n)
	return n, nil
}

// number reads one of n bytes, the lowest first.
func (s *snappy) number(n int) (uint64, error) {
	var b [8]byte
	_, err := io.ReadFull(s.in, b[:n])
	return binary.LittleEndian.Uint64(b[:]), err
}

// copy unpacks n bytes that stand back bytes before. They may overlap.
func (s *snappy) copy(back uint64, n int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, err
	case back == 0:
		return 0, fmt.Errorf("%w: a copy of Snappy from itself", errDamaged)
	case back > uint64(s.end):
		return 0, fmt.Errorf("%w: a copy of Snappy %d bytes back", ErrForm, back)
	}
	for i := range n {
		s.window[s.end+i] = s.window[s.end+i-int(back)]
	}
	return n, nil
}
