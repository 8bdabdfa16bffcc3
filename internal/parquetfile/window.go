package parquetfile

import (
	"bufio"
	"io"
)

// copyWindow is the end of what a block of Snappy or LZ4 is unpacked to, as far as copies reach back.
type copyWindow struct {
	bytes []byte
	kept  int // bytes that copies may reach back
	read  int // of bytes, handed out
	end   int // of bytes, unpacked
}

// roomAtOnce is how much is unpacked at a time.
const roomAtOnce = 64 << 10

func (w *copyWindow) reset(kept int) {
	if len(w.bytes) < kept+roomAtOnce {
		w.bytes = make([]byte, kept+roomAtOnce)
	}
	w.kept, w.read, w.end = kept, 0, 0
}

// readOut hands out what is unpacked.
func (w *copyWindow) readOut(p []byte) int {
	n := copy(p, w.bytes[w.read:w.end])
	w.read += n
	return n
}

// makeRoom moves what is kept, when all is handed out.
func (w *copyWindow) makeRoom() {
	if w.end > w.kept {
		copy(w.bytes, w.bytes[w.end-w.kept:w.end])
		w.end = w.kept
	}
	w.read = w.end
}

func (w *copyWindow) freeBytes() int { return len(w.bytes) - w.end }

// appendLiteral unpacks n bytes, or as many as there is room for.
func (w *copyWindow) appendLiteral(from *bufio.Reader, n uint64) (int, error) {
	now := int(min(n, uint64(w.freeBytes())))
	if _, err := io.ReadFull(from, w.bytes[w.end:w.end+now]); err != nil {
		return 0, noEOF(err)
	}
	w.end += now
	return now, nil
}

// appendCopy unpacks n bytes that stand back bytes before, or as many as there is room for. They may overlap.
func (w *copyWindow) appendCopy(back int, n uint64) int {
	now := int(min(n, uint64(w.freeBytes())))
	for i := w.end; i < w.end+now; i++ {
		w.bytes[i] = w.bytes[i-back]
	}
	w.end += now
	return now
}
