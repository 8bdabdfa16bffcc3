// Package power measures a machine's power during a test: from the processor's counters, from a command that prints
// watts, or from the file of a power meter's program. The measurement is informal. A submission needs the official
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

// DefaultInterval is the time between two readings. It is also the interval of the official tools' meters.
const DefaultInterval = time.Second

// The limits of an interval.
const (
	MinInterval = 10 * time.Millisecond
	MaxInterval = 10 * time.Second
)

// Meter measures power.
type Meter struct {
	source       meterSource
	interval     time.Duration
	startTimeout time.Duration // maximum time until the first reading
	wall         func() time.Time
	since        func(time.Time) time.Duration
}

// meterSource provides the readings of a Meter.
type meterSource interface {
	// String returns a description of the source for results.
	String() string
	// check returns an error if the source cannot measure, as far as this is known without a measurement.
	check() error
	// read calls give with readings in watts, about once per interval, until ctx ends or the source fails.
	read(ctx context.Context, interval time.Duration, give func(watts float64)) error
}

// The first words of descriptions of meters.
const (
	kindRAPL    = "rapl"
	kindCommand = "cmd"
	kindFile    = "file"
)

// maxStartTime is the maximum time until a meter's first reading.
const maxStartTime = 30 * time.Second

// New returns the meter for a description: "rapl" or "rapl:ROOT" (the folder of Linux's powercap), "cmd:COMMAND" or
// "file:SPL". The interval is from MinInterval to MaxInterval, or 0 for DefaultInterval. New returns an error if these
// are invalid or the meter cannot measure on this machine.
func New(description string, interval time.Duration) (*Meter, error) {
	interval = cmp.Or(interval, DefaultInterval)
	if interval < MinInterval || interval > MaxInterval {
		return nil, fmt.Errorf("found an interval of %v between readings, want %v to %v", interval, MinInterval,
			MaxInterval)
	}
	kind, argument, given := strings.Cut(description, ":")
	m := &Meter{interval: interval, startTimeout: maxStartTime, wall: time.Now, since: time.Since}
	switch {
	case kind == kindRAPL && !given:
		m.source = &raplSource{root: powercapFolder}
	case kind == kindRAPL && argument != "":
		m.source = &raplSource{root: argument}
	case kind == kindCommand && strings.TrimSpace(argument) != "":
		m.source = meterCommand{argument}
	case kind == kindFile && argument != "":
		m.source = meterFile{argument}
	default:
		return nil, fmt.Errorf("found %q, want rapl, cmd:COMMAND or file:SPL", description)
	}
	return m, m.source.check()
}

// String returns a description of the source.
func (m *Meter) String() string { return m.source.String() }

// Interval returns the time between two readings.
func (m *Meter) Interval() time.Duration { return m.interval }

// Recording is a measurement in progress.
type Recording struct {
	meter  *Meter
	cancel context.CancelFunc
	began  time.Time
	text   []byte        // lines of spl.txt; belongs to the reading goroutine until done is closed
	err    error         // failure of the meter before the end of the recording
	ready  chan struct{} // closed at the first reading
	done   chan struct{} // closed when reading has ended
}

// Start starts a measurement in a goroutine and returns after the first reading. The caller must call Finish. If the
// meter fails, Start stops it and returns an error.
func (m *Meter) Start(ctx context.Context) (*Recording, error) {
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &Recording{meter: m, cancel: cancel, began: m.wall(), ready: make(chan struct{}), done: make(chan struct{})}
	go r.record(reading)
	late := time.NewTimer(m.startTimeout)
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
		err = fmt.Errorf("no reading within %v", m.startTimeout)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel()
	<-r.done
	return nil, fmt.Errorf("measuring power by %s: %w", m, err)
}

// record records readings until ctx ends or the meter fails. The times of readings use the monotonic clock, like those
// of a test. A change of the machine's clock therefore moves no reading into or out of the run.
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

// Mark identifies the lines that a meter of this package writes. Lines of the official tools do not contain it.
const Mark = "plumbline_informal"

// Finish ends the recording and stops the meter. It returns lines of spl.txt around the window of the run, and the
// error of a meter that stopped early. A zero window belongs to a run that did not finish; Finish then returns all
// lines.
func (r *Recording) Finish(ctx context.Context, w spl.Window) ([]byte, error) {
	r.cancel()
	<-r.done
	if f, ok := r.meter.source.(meterFile); ok {
		return f.collectWindow(ctx, r.began, w)
	}
	return r.text, r.err
}

// MaxGap is the maximum time without a valid reading in a run. With a longer gap, an average does not represent the
// run.
func (m *Meter) MaxGap() time.Duration { return max(10*time.Second, 10*m.interval) }

// Judge returns the reasons why an average does not represent the whole run, or nil.
func (m *Meter) Judge(a spl.Average) []string {
	var faults []string
	if a.Samples == 0 && a.ZeroSamples > 0 {
		faults = append(faults, fmt.Sprintf("all %d readings are zero or less", a.ZeroSamples))
	}
	if a.Gap > m.MaxGap() {
		faults = append(faults, fmt.Sprintf("no reading above zero for %v of the run, want one every %v at least",
			a.Gap.Round(time.Millisecond), m.MaxGap()))
	}
	for _, f := range a.Faults {
		faults = append(faults, f.Error())
	}
	return faults
}
