package parquetfile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// snappyBlock decompresses a Snappy block while it is read. The format allows copies from any distance. The usual
// compressors split their input into pieces of 64 KiB, and copies stay within a piece. A copy from beyond the window is
// an ErrForm error.
type snappyBlock struct {
	in          *bufio.Reader
	left        uint64 // bytes of the block that have not been unpacked
	literalLeft uint64 // bytes of the current literal that have not been unpacked
	window      copyWindow
}

// Limits of the window for copies. Copies in a small page may reach back to its beginning.
const (
	minKeptBytes   = 64 << 10
	maxKeptBytes   = 1 << 20
	maxCopiedBytes = 64 // bytes of one copy
)

func (s *snappyBlock) reset(from io.Reader, size int64) error {
	s.in.Reset(from)
	s.literalLeft = 0
	s.window.reset(int(min(max(size, minKeptBytes), maxKeptBytes)))
	var err error
	if s.left, err = binary.ReadUvarint(s.in); err != nil {
		return fmt.Errorf("the length of a block: %w", noEOF(err))
	}
	if s.left != uint64(size) {
		return damagedErrorf("a page of %d bytes has a block of Snappy of %d", size, s.left)
	}
	return nil
}

// Read implements io.Reader.
func (s *snappyBlock) Read(p []byte) (int, error) {
	if n := s.window.readOut(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	if s.left == 0 {
		return 0, s.requireEnd()
	}
	if err := s.fillWindow(); err != nil {
		return 0, noEOF(err)
	}
	return s.window.readOut(p), nil
}

// requireEnd checks that the block ends with its page.
func (s *snappyBlock) requireEnd() error {
	if _, err := s.in.ReadByte(); err != nil {
		return err
	}
	return damagedErrorf("a block of Snappy is longer than it says")
}

// fillWindow unpacks elements until the window is full.
func (s *snappyBlock) fillWindow() error {
	s.window.makeRoom()
	for s.left > 0 && s.window.freeBytes() >= maxCopiedBytes {
		n, err := s.unpackElement()
		if err != nil {
			return err
		}
		if uint64(n) > s.left {
			return damagedErrorf("a block of Snappy is longer than it says")
		}
		s.left -= uint64(n)
	}
	return nil
}

// unpackElement unpacks the next copy, or as much of a literal as the window has room for. It returns the number of
// bytes.
func (s *snappyBlock) unpackElement() (int, error) {
	if s.literalLeft > 0 {
		return s.unpackLiteral()
	}
	tag, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	switch high := int(tag >> 2); tag & 3 {
	case 0:
		s.literalLeft = uint64(high) + 1
		if extra := high - 59; extra > 0 { // 60 to 63: the length is in the next 1 to 4 bytes
			n, err := s.readNumber(extra)
			if err != nil {
				return 0, err
			}
			s.literalLeft = n + 1
		}
		return s.unpackLiteral()
	case 1:
		low, err := s.readNumber(1)
		return s.unpackCopy(uint64(tag>>5)<<8|low, high&7+4, err)
	case 2:
		back, err := s.readNumber(2)
		return s.unpackCopy(back, high+1, err)
	default:
		back, err := s.readNumber(4)
		return s.unpackCopy(back, high+1, err)
	}
}

// unpackLiteral unpacks as much of the current literal as the window has room for.
func (s *snappyBlock) unpackLiteral() (int, error) {
	n, err := s.window.appendLiteral(s.in, s.literalLeft)
	s.literalLeft -= uint64(n)
	return n, err
}

// readNumber reads a number of n bytes, lowest byte first.
func (s *snappyBlock) readNumber(n int) (uint64, error) {
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

// unpackCopy unpacks a copy of n bytes from back bytes before the current position.
func (s *snappyBlock) unpackCopy(back uint64, n int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, err
	case back == 0:
		return 0, damagedErrorf("a copy of Snappy from itself")
	case back > uint64(s.window.end):
		return 0, fmt.Errorf("%w: a copy of Snappy %d bytes back", ErrForm, back)
	}
	return s.window.appendCopy(int(back), uint64(n)), nil
}
