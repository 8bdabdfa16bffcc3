package live

import (
	"io"
	"sync"
	"time"
)

// StatusLine is a line that changes often, such as the state of a download. On a terminal it is rewritten up to twice a
// second; elsewhere it writes a new line every few seconds. It is safe for concurrent use.
type StatusLine struct {
	o    Options
	mu   sync.Mutex
	last time.Time // time of the last write
}

// NewStatusLine returns a status line on w.
func NewStatusLine(w io.Writer, terminal bool, width func() int) *StatusLine {
	return &StatusLine{o: Options{Out: w, Terminal: terminal, Width: width}}
}

// Set shows text, unless it wrote another text less than one interval ago.
func (s *StatusLine) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= s.o.drawPeriod() {
		s.last = now
		s.o.writeLine(text)
	}
}

// ClearLine removes the line from a terminal. The next Set shows its text at once.
func (s *StatusLine) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Time{}
	s.o.clearLine()
}
