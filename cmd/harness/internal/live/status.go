package live

import (
	"io"
	"sync"
	"time"
)

// Status is a line that its owner changes often, such as the state of a download. On a terminal it is rewritten at most
// every half second, elsewhere a new line is written every few seconds. Its methods may be called from any goroutine.
type Status struct {
	o    Options
	mu   sync.Mutex
	last time.Time // when it was written
}

// NewStatus returns a line on w.
func NewStatus(w io.Writer, terminal bool, width func() int) *Status {
	return &Status{o: Options{Out: w, Terminal: terminal, Width: width}}
}

// Set shows text, unless another was shown a moment ago.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= s.o.drawPeriod() {
		s.last = now
		s.o.writeLine(text)
	}
}

// Clear removes the line from a terminal; the next Set shows at once.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Time{}
	s.o.clearLine()
}
