package parquetfile

import (
	"bufio"
	"errors"
	"io"
)

// lz4Block unpacks a block of LZ4 as it is read: sequences of some literal bytes and a copy of what stands at most
// 65,535 bytes before; the last one has no copy (the description of LZ4's block format).
type lz4Block struct {
	in      *bufio.Reader
	window  copyWindow
	literal uint64 // bytes of the present literal that are to come
	copied  uint64 // bytes of the present copy that are to come
	back    int    // how far back it is; 0: it has not begun
	high    byte   // the head of the present sequence
	within  bool   // a sequence has begun
	ended   bool
}

func (l *lz4Block) reset(from io.Reader) {
	l.in.Reset(from)
	l.window.reset(64 << 10)
	l.literal, l.copied, l.within, l.ended = 0, 0, false, false
}

// Read implements io.Reader.
func (l *lz4Block) Read(p []byte) (int, error) {
	for {
		if n := l.window.readOut(p); n > 0 || len(p) == 0 {
			return n, nil
		}
		if l.ended {
			return 0, io.EOF
		}
		l.window.makeRoom()
		for l.window.freeBytes() > 0 && !l.ended {
			if err := l.unpackElement(); err != nil {
				return 0, err
			}
		}
	}
}

// unpackElement unpacks the next part: a literal, a copy, or what there is room for of them.
func (l *lz4Block) unpackElement() error {
	switch {
	case l.literal > 0:
		n, err := l.window.appendLiteral(l.in, l.literal)
		l.literal -= uint64(n)
		return err
	case l.copied > 0:
		l.copied -= uint64(l.window.appendCopy(l.back, l.copied))
		return nil
	case l.within:
		l.within = false
		return l.beginCopy()
	}
	head, err := l.in.ReadByte()
	if err != nil {
		return noEOF(err) // the last sequence has no copy
	}
	l.high, l.within = head, true
	l.literal, err = l.readLength(head >> 4)
	return err
}

// readLength reads a number whose first four bits stand in the head of a sequence.
func (l *lz4Block) readLength(bits byte) (uint64, error) {
	n := uint64(bits)
	if bits < 15 {
		return n, nil
	}
	for {
		b, err := l.in.ReadByte()
		if err != nil {
			return 0, noEOF(err)
		}
		if n += uint64(b); b < 255 {
			return n, nil
		}
	}
}

// beginCopy reads the second half of a sequence: at the end of the block there is none.
func (l *lz4Block) beginCopy() error {
	low, err := l.in.ReadByte()
	if errors.Is(err, io.EOF) {
		l.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	high, err := l.in.ReadByte()
	if err != nil {
		return noEOF(err)
	}
	if l.back = int(high)<<8 | int(low); l.back == 0 || l.back > l.window.end {
		return damagedErrorf("a copy of LZ4 %d bytes back, after %d", l.back, l.window.end)
	}
	l.copied, err = l.readLength(l.high & 15)
	l.copied += 4 // the shortest copy
	return err
}
