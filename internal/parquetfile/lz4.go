package parquetfile

import (
	"bufio"
	"errors"
	"io"
)

// lz4Block decompresses an LZ4 block while it is read. A block consists of sequences. Each has literal bytes and a copy
// of bytes up to 65,535 bytes back; the last sequence has no copy. Source: the description of LZ4's block format.
type lz4Block struct {
	in          *bufio.Reader
	window      copyWindow
	literalLeft uint64 // bytes of the current literal that have not been unpacked
	copyLeft    uint64 // bytes of the current copy that have not been unpacked
	distance    int    // distance of the current copy; 0: the copy has not begun
	token       byte   // first byte of the current sequence
	inSequence  bool   // a sequence has begun
	ended       bool
}

func (l *lz4Block) reset(from io.Reader) {
	l.in.Reset(from)
	l.window.reset(64 << 10)
	l.literalLeft, l.copyLeft, l.inSequence, l.ended = 0, 0, false, false
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

// unpackElement unpacks the next literal or copy, or as much of it as the window has room for.
func (l *lz4Block) unpackElement() error {
	switch {
	case l.literalLeft > 0:
		n, err := l.window.appendLiteral(l.in, l.literalLeft)
		l.literalLeft -= uint64(n)
		return err
	case l.copyLeft > 0:
		l.copyLeft -= uint64(l.window.appendCopy(l.distance, l.copyLeft))
		return nil
	case l.inSequence:
		l.inSequence = false
		return l.beginCopy()
	}
	head, err := l.in.ReadByte()
	if err != nil {
		return noEOF(err) // the last sequence has no copy
	}
	l.token, l.inSequence = head, true
	l.literalLeft, err = l.readLength(head >> 4)
	return err
}

// readLength reads a length that begins in four bits of a sequence's first byte.
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

// beginCopy reads the second part of a sequence. The last sequence of a block has none.
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
	if l.distance = int(high)<<8 | int(low); l.distance == 0 || l.distance > l.window.end {
		return damagedErrorf("a copy of LZ4 %d bytes back, after %d", l.distance, l.window.end)
	}
	l.copyLeft, err = l.readLength(l.token & 15)
	l.copyLeft += 4 // the shortest copy has 4 bytes
	return err
}
