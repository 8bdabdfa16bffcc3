package parquetfile

import (
	"bufio"
	"io"
)

// copyWindow contains the last bytes of a decompressed Snappy or LZ4 block, as far as copies may reach back.
type copyWindow struct {
	bytes []byte
	kept  int // distance that copies may reach back, in bytes
	read  int // end of the bytes that were returned
	end   int // end of the decompressed bytes
}

// maxUnpacked is the number of bytes that are decompressed at a time.
const maxUnpacked = 64 << 10

func (w *copyWindow) reset(kept int) {
	if len(w.bytes) < kept+maxUnpacked {
		w.bytes = make([]byte, kept+maxUnpacked)
	}
	w.kept, w.read, w.end = kept, 0, 0
}

// readOut copies decompressed bytes to p.
func (w *copyWindow) readOut(p []byte) int {
	n := copy(p, w.bytes[w.read:w.end])
	w.read += n
	return n
}

// makeRoom moves the kept bytes to the beginning after all bytes were returned.
func (w *copyWindow) makeRoom() {
	if w.end > w.kept {
		copy(w.bytes, w.bytes[w.end-w.kept:w.end])
		w.end = w.kept
	}
	w.read = w.end
}

func (w *copyWindow) freeBytes() int { return len(w.bytes) - w.end }

// appendLiteral appends n bytes from from, or as many as there is room for.
func (w *copyWindow) appendLiteral(from *bufio.Reader, n uint64) (int, error) {
	now := int(min(n, uint64(w.freeBytes())))
	if _, err := io.ReadFull(from, w.bytes[w.end:w.end+now]); err != nil {
		return 0, noEOF(err)
	}
	w.end += now
	return now, nil
}

// appendCopy appends n bytes from back bytes before the end, or as many as there is room for. The two ranges may
// overlap.
func (w *copyWindow) appendCopy(back int, n uint64) int {
	now := int(min(n, uint64(w.freeBytes())))
	for i := w.end; i < w.end+now; i++ {
		w.bytes[i] = w.bytes[i-back]
	}
	w.end += now
	return now
}
