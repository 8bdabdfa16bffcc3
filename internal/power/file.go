package power

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// meterFile is an spl.txt, or a power meter's log with such lines. Another program writes it during the test.
type meterFile struct{ path string }

func (f meterFile) String() string { return "file " + f.path }

func (f meterFile) check() error {
	info, err := os.Stat(f.path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: found %v, want the file that a power meter's program writes", f.path, info.Mode())
	}
	return err
}

// read returns one dummy reading and waits. The readings are taken from the file after the end of the run.
func (f meterFile) read(ctx context.Context, _ time.Duration, give func(watts float64)) error {
	give(0)
	<-ctx.Done()
	return nil
}

// maxLag is the time for which collectWindow waits for late lines, and pollInterval the time between its reads of the
// file.
const (
	maxLag       = 15 * time.Second
	pollInterval = 250 * time.Millisecond
)

// collectWindow returns the unchanged lines of the file from a minute before the window to a minute after it. It waits
// for a line after the window, because the other program may write its last lines late. For a zero window it returns
// all lines since the beginning of the recording.
func (f meterFile) collectWindow(ctx context.Context, began time.Time, w spl.Window) ([]byte, error) {
	if w == (spl.Window{}) {
		text, _, err := f.linesWithin(spl.Window{Begin: began, End: time.Now().Add(time.Minute)})
		return text, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxLag)
	defer cancel()
	for {
		text, last, err := f.linesWithin(spl.Window{Begin: w.Begin.Add(-time.Minute), End: w.End.Add(time.Minute)})
		if err != nil || !last.Before(w.End) {
			return text, err
		}
		select {
		case <-ctx.Done():
			return text, f.errMissing(last, w)
		case <-time.After(pollInterval):
		}
	}
}

// errMissing returns an error about a file that ends before the run.
func (f meterFile) errMissing(last time.Time, w spl.Window) error {
	const form = "2006-01-02 15:04:05"
	if last.IsZero() {
		return fmt.Errorf("%s has no readings: no line Time,...,Watts,... is there", f.path)
	}
	return fmt.Errorf("%s ends at %s, and the run lasted from %s to %s (in UTC, which the file's times have to be, too)",
		f.path, last.Format(form), w.Begin.Format(form), w.End.Format(form))
}

// linesWithin returns the lines within a window, including unreadable ones, and the time of the last line of the file.
func (f meterFile) linesWithin(w spl.Window) (text []byte, last time.Time, err error) {
	in, err := bounded.Open(f.path)
	if err != nil {
		return nil, last, err
	}
	defer in.Close()
	var out bytes.Buffer
	samples := spl.NewSampleReader(in)
	for {
		s, err := samples.Next()
		if errors.Is(err, io.EOF) {
			return out.Bytes(), last, nil
		}
		if _, bad := errors.AsType[*mllog.LineError](err); err != nil && !bad {
			return out.Bytes(), last, fmt.Errorf("%s: %w", f.path, err)
		}
		if s.Time.After(last) {
			last = s.Time
		}
		if s.Time.IsZero() || w.Contains(s.Time) {
			out.WriteString(s.Line + "\n")
		}
	}
}
