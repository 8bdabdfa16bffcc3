package fetch

import "io"

// Phase is the current step of Get.
type Phase string

// The phases, in order.
const (
	Waiting     Phase = "waiting" // for another process that fetches the same file, or before another attempt
	Downloading Phase = "downloading"
	Verifying   Phase = "verifying"
	Unpacking   Phase = "unpacking"
)

// Progress is the state of a Get at one moment.
type Progress struct {
	Name    string // the File's Name
	Phase   Phase
	Done    int64 // bytes; downloading: including earlier attempts; unpacking: bytes of contents
	Total   int64 // bytes; 0: unknown
	Attempt int   // number of the download attempt, from 1
	Err     error // failure of the last attempt during the wait for the next
}

func (c *Cache) reportProgress(p Progress) {
	if c.options.Progress != nil {
		c.options.Progress(p)
	}
}

// countingWriter counts written bytes, starting at n, and calls moved with the sum.
type countingWriter struct {
	io.Writer
	n        int64
	progress func(n int64)
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	c.progress(c.n)
	return n, err
}
