// Package live shows a run's progress. On a terminal it rewrites one line; elsewhere it prints a line every few
// seconds. It reads the run's counters, so the hot path pushes nothing.
package live

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// Options configures the display of a run.
type Options struct {
	Out        io.Writer  // Watch escapes the text that it writes
	Terminal   bool       // Out is a terminal: rewrite one line
	Width      func() int // columns of the terminal; 0: unknown
	Label      string     // name of the run: "Server performance"
	Percentile float64    // the scenario's target, as a fraction
	Snapshot   func() loadgen.ProgressSnapshot
	// PermanentLine returns a line to keep on the screen, or "". It is called at each update; nil: no such lines.
	PermanentLine func(loadgen.ProgressSnapshot) string
}

// The interval of updates: 2 Hz on a terminal, where the line is rewritten, and less often where each line remains.
const (
	terminalPeriod = 500 * time.Millisecond
	plainPeriod    = 5 * time.Second
)

// Watch shows the run until stop is called. stop clears the line and returns after the last write.
func Watch(o Options) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { o.drawLoop(done) })
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
	})
}

func (o Options) drawLoop(done <-chan struct{}) {
	ticker := time.NewTicker(o.drawPeriod())
	defer ticker.Stop()
	warned, shown := false, ""
	for {
		select {
		case <-ticker.C:
			s := o.Snapshot()
			if s.Hopeless != "" && !warned {
				warned = true
				o.writeWarning(s.Hopeless)
			}
			if o.PermanentLine != nil {
				o.writePermanent(o.PermanentLine(s))
			}
			line := o.Label + "  " + FormatLine(s, o.Percentile)
			if o.Terminal || line != shown { // elsewhere, skip repeated lines
				o.writeLine(line)
			}
			shown = line
		case <-done:
			o.clearLine()
			return
		}
	}
}

// writeWarning writes a permanent line that states why the run can only end INVALID.
func (o Options) writeWarning(why string) {
	o.clearLine()
	fmt.Fprintf(o.Out, "%s  can only end INVALID: %s (Ctrl-C ends it now, --abort-early by itself)\n",
		terminal.Line(o.Label), terminal.Line(why))
}

// writePermanent writes a permanent line, unless text is empty.
func (o Options) writePermanent(text string) {
	if text != "" {
		o.clearLine()
		fmt.Fprintln(o.Out, terminal.Line(text))
	}
}

// ClearLine removes the current line, if any, so that another can be written.
func ClearLine(out io.Writer, terminal bool) { Options{Out: out, Terminal: terminal}.clearLine() }

func (o Options) drawPeriod() time.Duration {
	if o.Terminal {
		return terminalPeriod
	}
	return plainPeriod
}

// clearSequence is the ANSI sequence that returns to the first column and clears the line.
const clearSequence = "\r\x1b[K"

func (o Options) writeLine(line string) {
	line = terminal.Line(line)
	if !o.Terminal {
		fmt.Fprintln(o.Out, line)
		return
	}
	fmt.Fprint(o.Out, clearSequence+cutToWidth(line, o.lineWidth()))
}

func (o Options) clearLine() {
	if o.Terminal {
		fmt.Fprint(o.Out, clearSequence)
	}
}

func (o Options) lineWidth() int {
	if o.Width == nil {
		return 0
	}
	return o.Width()
}

// cutToWidth cuts a line to a terminal's width, so that it does not wrap. A width of 0 is unknown and cuts nothing.
func cutToWidth(line string, width int) string {
	runes := []rune(line)
	if width <= 0 || len(runes) < width {
		return line
	}
	return string(runes[:width-1])
}
