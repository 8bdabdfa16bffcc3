//go:build !linux

package host

import (
	"os"
	"time"
)

// What a plugin printed before it reported a failure may come after the report: the two ways are not one.
const (
	quiet    = 20 * time.Millisecond // silence that counts as the end
	mostWait = 10 * quiet
)

// tap reads what a process prints.
type tap struct {
	*os.File
	to *output
}

func newTap(file *os.File, to *output) *tap { return &tap{file, to} }

// end says that nobody reads any more.
func (t *tap) end() { _ = t.Close() }

// awaitKept waits until the output pauses.
func (t *tap) awaitKept() {
	before := t.to.count()
	for waited := time.Duration(0); waited < mostWait; waited += quiet {
		time.Sleep(quiet)
		n := t.to.count()
		if n == before {
			return
		}
		before = n
	}
}
