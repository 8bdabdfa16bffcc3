// Package power measures a machine's power during a test: from the processor's counters, from a command that prints
// watts, or from the file of a power meter's program. It is an informal measurement. A submission needs the official
// power tools with an analyzer at the plug.
//
// In scope: readings and their times, the form of spl.txt (package spl). Out of scope: the choice of runs, and their
// records (package bench).
package power

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
)

// DefaultInterval is the time between two readings. A meter of the official tools takes one a second, too.
const DefaultInterval = time.Second

// The bounds of an interval.
const (
	LeastInterval = 10 * time.Millisecond
	MostInterval  = 10 * time.Second
)

// Meter is where readings come from.
type Meter struct {
	source   meterSource
	interval time.Duration
	patience time.Duration // until a first reading
	wall     func() time.Time
	since    func(time.Time) time.Duration
}

// meterSource is a kind of meter.
type meterSource interface {
	// String says what it is, for results.
	String() string
	// check says what keeps it from measuring, as far as it can be known without measuring.
	check() error
	// read gives readings, in watts, as they come until ctx ends, about one for each interval, or until it fails.
	read(ctx context.Context, interval time.Duration, give func(watts float64)) error
}

// The words that a description of a meter begins with.
const (
	kindRAPL    = "rapl"
	kindCommand = "cmd"
	kindFile    = "file"
)

// firstReading is how long a meter may take until it reads.
const firstReading = 30 * time.Second

// New makes the meter of a description: "rapl" or "rapl:ROOT" (the folder of Linux's powercap), "cmd:COMMAND" or
// "file:SPL". The interval is from LeastInterval to MostInterval, 0 for DefaultInterval. An error says what is wrong
// with these, or why the meter cannot measure here.
func New(description string, interval time.Duration) (*Meter, error) {
	interval = cmp.Or(interval, DefaultInterval)
	if interval < LeastInterval || interval > MostInterval {
		return nil, fmt.Errorf("found an interval of %v between readings, want %v to %v", interval, LeastInterval,
			MostInterval)
	}
	kind, argument, given := strings.Cut(description, ":")
	m := &Meter{interval: interval, patience: firstReading, wall: time.Now, since: time.Since}
	switch {
	case kind == kindRAPL && !given:
		m.source = &rapl{root: powercap}
	case kind == kindRAPL && argument != "":
		m.source = &rapl{root: argument}
	case kind == kindCommand && strings.TrimSpace(argument) != "":
		m.source = meterCommand{argument}
	case kind == kindFile && argument != "":
		m.source = meterFile{argument}
	default:
		return nil, fmt.Errorf("found %q, want rapl, cmd:COMMAND or file:SPL", description)
	}
	return m, m.source.check()
}

// String says what measures.
func (m *Meter) String() string { return m.source.String() }

// Interval is the time between two readings.
func (m *Meter) Interval() time.Duration { return m.interval }

// Recording is a measurement under way.
type Recording struct {
	meter  *Meter
	cancel context.CancelFunc
	began  time.Time
	text   []byte        // lines of spl.txt; the reading goroutine's until done is closed
	err    error         // why reading ended before it was told to; as text
	ready  chan struct{} // closed with the first reading
	done   chan struct{} // closed when reading has ended
}

// Start begins to measure in a goroutine of its own, and returns once the meter has read for the first time. The caller
// ends the recording with Finish. An error says why the meter does not read; nothing is left of it then.
func (m *Meter) Start(ctx context.Context) (*Recording, error) {
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &Recording{meter: m, cancel: cancel, began: m.wall(), ready: make(chan struct{}), done: make(chan struct{})}
	go r.record(reading)
	late := time.NewTimer(m.patience)
	defer late.Stop()
	var err error
	select {
	case <-r.ready:
		return r, nil
	case <-r.done:
		if err = r.err; err == nil {
			err = errors.New("it ended without a reading")
		}
	case <-late.C:
		err = fmt.Errorf("no reading within %v", m.patience)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel()
	<-r.done
	return nil, fmt.Errorf("measuring power by %s: %w", m, err)
}

// record keeps readings until ctx ends or the meter fails. Their times go on from the begin as a stopwatch does, which
// those of a test do too: a machine's clock that is set meanwhile moves no reading out of the run, and none into it.
func (r *Recording) record(ctx context.Context) {
	defer close(r.done)
	first := true
	err := r.meter.source.read(ctx, r.meter.interval, func(watts float64) {
		at := r.began.UTC().Add(r.meter.since(r.began))
		r.text = spl.AppendSample(r.text, spl.Sample{Time: at, Watts: watts}, Mark)
		if first {
			first = false
			close(r.ready)
		}
	})
	if ctx.Err() == nil {
		r.err = err
	}
}

// Mark is in each line that a meter of this package writes, and in none of the official tools.
const Mark = "plumbline_informal"

// Finish ends the recording, and nothing of the meter is left running. It returns lines of spl.txt around the window of
// the run, and why the meter stopped reading before, if it did. A zero window is that of a run which did not come to an
// end: everything that was read is returned.
func (r *Recording) Finish(ctx context.Context, w spl.Window) ([]byte, error) {
	r.cancel()
	<-r.done
	if f, ok := r.meter.source.(meterFile); ok {
		return f.collectWindow(ctx, r.began, w)
	}
	return r.text, r.err
}

// MostGap is how long a run may go without a reading that counts: an average over less is not of the run.
func (m *Meter) MostGap() time.Duration { return max(10*time.Second, 10*m.interval) }

// Judge says why an average is not of the whole run; nothing is good.
func (m *Meter) Judge(a spl.Average) []string {
	var faults []string
	if a.Samples == 0 && a.Zeros > 0 {
		faults = append(faults, fmt.Sprintf("all %d readings are zero or less", a.Zeros))
	}
	if a.Gap > m.MostGap() {
		faults = append(faults, fmt.Sprintf("no reading above zero for %v of the run, want one every %v at least",
			a.Gap.Round(time.Millisecond), m.MostGap()))
	}
	for _, f := range a.Faults {
		faults = append(faults, f.Error())
	}
	return faults
}
