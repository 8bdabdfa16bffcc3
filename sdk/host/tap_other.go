//go:build !linux

package host

import (
	"os"
	"time"
)

// Output that a plugin printed before it reported a failure may arrive after the report, because they use different
// channels.
const (
	quiet   = 20 * time.Millisecond // silence that counts as the end
	maxWait = 10 * quiet
)

// outputTap reads the output of a process.
type outputTap struct {
	*os.File
	to *pluginOutput
}

func newTap(file *os.File, to *pluginOutput) *outputTap { return &outputTap{file, to} }

// stopReading ends reading.
func (t *outputTap) stopReading() { _ = t.Close() }

// awaitKept waits until the output pauses.
func (t *outputTap) awaitKept() {
	before := t.to.byteCount()
	for waited := time.Duration(0); waited < maxWait; waited += quiet {
		time.Sleep(quiet)
		n := t.to.byteCount()
		if n == before {
			return
		}
		before = n
	}
}
