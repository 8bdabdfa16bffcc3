package events

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

const patience = 10 * time.Minute

var (
	note     = feed.Event{Name: feed.NameNote, Note: &feed.NoteData{Text: "a\nb\u0085\x1b"}}
	progress = feed.Event{Name: feed.NameProgress, Progress: &feed.ProgressData{}}
)

func TestOneLineForEachEvent(t *testing.T) {
	var out bytes.Buffer
	s := NewStream(&out, "x")
	s.Event(note)
	s.Event(progress)
	if err := s.Close(patience); err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewScanner(&out); lines.Scan(); n++ {
		var e feed.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || n == 0 && e.Note.Text != note.Note.Text {
			t.Errorf("%s: %v", lines.Bytes(), err)
		}
	}
	if n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}

// stuck is a reader that reads nothing until it is let go.
type stuck struct {
	bytes.Buffer
	let chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.let
	return s.Buffer.Write(p)
}

func TestReaderThatHangs(t *testing.T) {
	w := &stuck{let: make(chan struct{})}
	s := NewStream(w, "x")
	for range 2 * maxLines {
		s.Event(progress)
	}
	s.Event(note)
	close(w.let)
	err := s.Close(patience)
	if !errors.Is(err, ErrDropped) {
		t.Errorf("error %v, want one that says what was left out", err)
	}
	if n := bytes.Count(w.Bytes(), []byte("\n")); n < maxProgress || n > maxProgress+2 {
		t.Errorf("%d lines, want those that may wait", n)
	}
	if !bytes.Contains(w.Bytes(), []byte(`"note"`)) {
		t.Error("the note is lost")
	}
}

func TestReaderThatHangsForEver(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	s := NewStream(w, "x")
	s.Event(note)
	if err := s.Close(time.Millisecond); err == nil {
		t.Error("no error, though nobody read")
	}
}

func TestReaderThatGoes(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	s := NewStream(w, "x")
	for range 10 {
		s.Event(note)
	}
	if err := s.Close(patience); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

// TestNumberThatIsNone: JSON has no such number; the stream says so and goes on.
func TestNumberThatIsNone(t *testing.T) {
	var out bytes.Buffer
	s := NewStream(&out, "x")
	s.Event(feed.Event{Name: feed.NameResult, Result: &record.Run{Duration: math.NaN()}})
	if err := s.Close(patience); err != nil || !bytes.Contains(out.Bytes(), []byte("cannot be written")) {
		t.Errorf("%v: %s", err, out.Bytes())
	}
}
