package fetch

import "io"

// Phase is what Get is doing.
type Phase string

// The phases, in order.
const (
	Waiting     Phase = "waiting" // for another process that fetches the same file, or before another attempt
	Downloading Phase = "downloading"
	Verifying   Phase = "verifying"
	Unpacking   Phase = "unpacking"
)

// Progress is a moment of Get.
type Progress struct {
	Name    string // the file's
	Phase   Phase
	Done    int64 // bytes; downloading: with those of earlier attempts; unpacking: of contents
	Total   int64 // bytes; 0: unknown
	Attempt int   // of the download, from 1
	Err     error // why the last attempt failed, while waiting for the next
}

func (c *Cache) reportProgress(p Progress) {
	if c.options.Progress != nil {
		c.options.Progress(p)
	}
}

// countingWriter calls moved with the sum of the bytes written, beginning at n.
type countingWriter struct {
	io.Writer
	n     int64
	moved func(n int64)
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	c.moved(c.n)
	return n, err
}
