// Package events writes a feed as a stream of JSON for programs, with one event per line.
package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// Stream is a feed.Sink that writes lines. A slow or blocked reader does not delay the run, because lines wait in
// memory. If too many wait, it drops progress lines.
type Stream struct {
	name  string
	lines chan []byte
	done  chan struct{}

	mu       sync.Mutex
	dropped  int   // number of dropped events
	writeErr error // the first write error
}

// The maximum number of waiting lines, and the number from which events about progress are dropped.
const (
	maxLines    = 1 << 12
	maxProgress = 1 << 10
)

// NewStream returns a stream on w. Errors contain name.
func NewStream(w io.Writer, name string) *Stream {
	s := &Stream{name: name, lines: make(chan []byte, maxLines), done: make(chan struct{})}
	go s.writeEvents(w)
	return s
}

func (s *Stream) writeEvents(w io.Writer) {
	defer close(s.done)
	for line := range s.lines {
		if s.writeError() != nil {
			continue
		}
		if _, err := w.Write(line); err != nil {
			s.mu.Lock()
			s.writeErr = err
			s.mu.Unlock()
		}
	}
}

func (s *Stream) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeErr
}

// Event implements feed.Sink.
func (s *Stream) Event(e feed.Event) {
	line, err := json.Marshal(e)
	if err != nil { // NaN or an infinity in a plugin's answer
		line, _ = json.Marshal(feed.Event{Name: feed.NameNote, Time: e.Time, Run: e.Run,
			Note: &feed.NoteData{Text: fmt.Sprintf("event %s cannot be written: %v", e.Name, err)}})
	}
	if passing := e.Progress != nil || e.Distribution != nil; passing && len(s.lines) >= maxProgress {
		s.countDropped()
		return
	}
	select {
	case s.lines <- append(line, '\n'):
	default:
		s.countDropped()
	}
}

func (s *Stream) countDropped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped++
}

// Close waits until all lines are written, up to the time patience, and ends the stream. The error reports lost events.
func (s *Stream) Close(patience time.Duration) error {
	close(s.lines)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
		return fmt.Errorf("--events %s: the last events are lost: nobody read them for %v", s.name, patience)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.writeErr != nil:
		return fmt.Errorf("--events %s: events are lost: %w", s.name, s.writeErr)
	case s.dropped > 0:
		return fmt.Errorf("--events %s: %w: %d of them were left out, since they were read too slowly", s.name, ErrDropped,
			s.dropped)
	}
	return nil
}

// ErrDropped is the error of Close if events about progress were dropped.
var ErrDropped = errors.New("events are missing")
