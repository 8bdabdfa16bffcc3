package live

import (
	"io"
	"sync"
	"time"
)

// Status is a line that changes often, such as the state of a download. On a terminal it is rewritten up to twice a
// second; elsewhere it writes a new line every few seconds. It is safe for concurrent use.
type Status struct {
	o    Options
	mu   sync.Mutex
	last time.Time // time of the last write
}

// NewStatus returns a status line on w.
func NewStatus(w io.Writer, terminal bool, width func() int) *Status {
	return &Status{o: Options{Out: w, Terminal: terminal, Width: width}}
}

// Set shows text, unless it wrote another text less than one interval ago.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= s.o.drawPeriod() {
		s.last = now
		s.o.writeLine(text)
	}
}

// Clear removes the line from a terminal. The next Set shows its text at once.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Time{}
	s.o.clearLine()
}
