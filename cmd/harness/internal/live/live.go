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

// Options selects the output and its form.
type Options struct {
	Out        io.Writer  // unfiltered: what is shown is escaped here
	Terminal   bool       // Out is a terminal: rewrite one line
	Width      func() int // columns of the terminal; 0: not known
	Label      string     // what runs: "Server performance"
	Percentile float64    // the scenario's target, as a fraction
	Snapshot   func() loadgen.ProgressSnapshot
	// Tell is asked at each look for a line that stays; empty: there is nothing to tell. nil: nobody is asked.
	Tell func(loadgen.ProgressSnapshot) string
}

// How often the line is written: 2 Hz where it is rewritten, rarely where each line stays.
const (
	terminalPeriod = 500 * time.Millisecond
	plainPeriod    = 5 * time.Second
)

// Watch shows the run until the returned function is called; that clears the line and returns when nothing more is
// written.
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
			if o.Tell != nil {
				o.writeLasting(o.Tell(s))
			}
			line := o.Label + "  " + Line(s, o.Percentile)
			if o.Terminal || line != shown { // where lines stay, each says something new
				o.writeLine(line)
			}
			shown = line
		case <-done:
			o.clearLine()
			return
		}
	}
}

// writeWarning says in a line that stays why the run can only end INVALID.
func (o Options) writeWarning(why string) {
	o.clearLine()
	fmt.Fprintf(o.Out, "%s  can only end INVALID: %s (Ctrl-C ends it now, --abort-early by itself)\n",
		terminal.Line(o.Label), terminal.Line(why))
}

// writeLasting writes a line that stays, if there is one.
func (o Options) writeLasting(text string) {
	if text != "" {
		o.clearLine()
		fmt.Fprintln(o.Out, terminal.Line(text))
	}
}

// Clear removes a line that is shown perhaps, so that another can be written.
func Clear(out io.Writer, terminal bool) { Options{Out: out, Terminal: terminal}.clearLine() }

func (o Options) drawPeriod() time.Duration {
	if o.Terminal {
		return terminalPeriod
	}
	return plainPeriod
}

// ANSI: back to the first column, and clear to the end of the line.
const rewind = "\r\x1b[K"

func (o Options) writeLine(line string) {
	line = terminal.Line(line)
	if !o.Terminal {
		fmt.Fprintln(o.Out, line)
		return
	}
	fmt.Fprint(o.Out, rewind+cutToWidth(line, o.lineWidth()))
}

func (o Options) clearLine() {
	if o.Terminal {
		fmt.Fprint(o.Out, rewind)
	}
}

func (o Options) lineWidth() int {
	if o.Width == nil {
		return 0
	}
	return o.Width()
}

// cutToWidth shortens a line to a terminal's width, so that it never wraps. A width of 0 is not known and does not cut.
func cutToWidth(line string, width int) string {
	runes := []rune(line)
	if width <= 0 || len(runes) < width {
		return line
	}
	return string(runes[:width-1])
}
