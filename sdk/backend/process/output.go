package process

import (
	"io"
	"strings"
	"sync"
)

// tailBytes is the maximum size of a process's last output in an error.
const tailBytes = 2 << 10

// processOutput passes on the output of a process and keeps its end.
type processOutput struct {
	to io.Writer

	mu   sync.Mutex
	last []byte
}

func (o *processOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = append(o.last, b...)
	if len(o.last) > 2*tailBytes {
		o.last = append(o.last[:0], o.last[len(o.last)-tailBytes:]...)
	}
	_, _ = o.to.Write(b) // a broken terminal must not stop the process
	return len(b), nil
}

// tailIfAny is like outputTail, but returns "" if nothing was printed.
func (o *processOutput) tailIfAny() string {
	if text := o.outputTail(); text != noOutput {
		return text
	}
	return ""
}

const noOutput = "; it printed nothing"

// outputTail returns the end of the output, or a note that there is none, as the end of a message.
func (o *processOutput) outputTail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.TrimSpace(string(o.last[max(0, len(o.last)-tailBytes):]))
	if text == "" {
		return noOutput
	}
	return "; its last output: " + text
}
