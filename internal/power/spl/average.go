package spl

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// Window is the time of a run in which samples count: after its begin and before its end.
type Window struct{ Begin, End time.Time }

// ParseWindow reads the values of power_begin and power_end of a detail log.
func ParseWindow(begin, end string) (Window, error) {
	b, err1 := ParseTime(begin)
	e, err2 := ParseTime(end)
	if err := errors.Join(wrapError("power_begin", err1), wrapError("power_end", err2)); err != nil {
		return Window{}, err
	}
	return Window{b, e}, nil
}

func wrapError(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", key, err)
}

// Seconds is the length of the window, which is whole microseconds.
func (w Window) Seconds() float64 { return float64(w.End.Sub(w.Begin).Microseconds()) / 1e6 }

// Holds says whether a sample of that time counts.
func (w Window) Holds(t time.Time) bool { return t.After(w.Begin) && t.Before(w.End) }

// Average is what samples say of a window.
type Average struct {
	Window  Window
	Watts   float64 // the mean of those within the window and above zero; 0 where there is none
	Samples int     // how many these are
	Zeros   int     // samples within the window that read zero or less, or no number
	// Gap is the longest time within the window without a sample that counts, up to its first and from its last included.
	Gap time.Duration
	// Faults are lines that cannot be read, the first few of them. Of a line whose time lies outside the window nothing
	// else is looked at.
	Faults []*mllog.LineError
}

// maxFaults is how many bad lines an average names.
const maxFaults = 10

// Average reads the samples of a file to its end. Bad lines are in the result; an error is of the reading.
func (w Window) Average(r io.Reader) (Average, error) {
	a := Average{Window: w}
	samples, last, sum := NewReader(r), w.Begin, 0.0
	for {
		s, err := samples.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if line, ok := errors.AsType[*mllog.LineError](err); ok {
			if len(a.Faults) < maxFaults && (s.Time.IsZero() || w.Holds(s.Time)) {
				a.Faults = append(a.Faults, line)
			}
			continue
		}
		if err != nil {
			return a, err
		}
		switch {
		case !w.Holds(s.Time):
		case s.Watts > 0:
			a.Samples++
			sum += s.Watts
			a.Gap, last = max(a.Gap, s.Time.Sub(last)), s.Time
		default:
			a.Zeros++
		}
	}
	a.Gap = max(a.Gap, w.End.Sub(last))
	if a.Samples > 0 {
		a.Watts = sum / float64(a.Samples)
	}
	return a, nil
}

// The units of the power result, as the official tables name them.
const (
	Watts       = "Watts"
	Millijoules = "millijoules" // per query
)

// Metric is the power result of a scenario.
type Metric struct {
	Value float64
	Unit  string // Watts or Millijoules
	// Efficiency is the performance for each watt: samples (or tokens, queries) for each joule.
	Efficiency float64
}

// Measured is the run that an average belongs to.
type Measured struct {
	Scenario string // of the result: in a submission, the name of its folder
	Logged   string // the log's effective_scenario, which differs where a result is inferred
	Queries  uint64 // the log's result_query_count
	// Performance is the result of the run in its unit; of SingleStream and MultiStream it is not looked at.
	Performance float64
}

// streamSamples are the samples of a MultiStream query, which the official metric takes for granted.
const streamSamples = 8

// Metric makes the power result of an average: watts in Offline, Server and Interactive, and millijoules for each query
// in SingleStream and MultiStream, whose queries have eight samples, also where they are inferred from SingleStream's.
func (a Average) Metric(m Measured) (Metric, error) {
	if a.Samples == 0 {
		return Metric{}, fmt.Errorf("no sample of power above zero within the run, %s to %s",
			a.Window.Begin.Format(time.DateTime), a.Window.End.Format(time.DateTime))
	}
	switch {
	case isScenario(m.Scenario, "Offline", "Server", "Interactive"):
		return Metric{a.Watts, Watts, m.Performance / a.Watts}, nil
	case !isScenario(m.Scenario, "SingleStream", "MultiStream"):
		return Metric{}, fmt.Errorf("found the scenario %q, which has no power result", m.Scenario)
	case m.Queries == 0:
		return Metric{}, errors.New("result_query_count is 0 or missing, so that there is no energy per query")
	}
	energy, samples := a.Watts*a.Window.Seconds(), 1.0
	if isScenario(m.Scenario, "MultiStream") {
		samples = streamSamples
	}
	if isScenario(m.Scenario, "MultiStream") && isScenario(m.Logged, "SingleStream") {
		energy *= streamSamples
	}
	mj := energy * 1000 / float64(m.Queries)
	if math.IsNaN(mj) || mj == 0 {
		return Metric{}, fmt.Errorf("the run lasted %v s, so that there is no energy per query", a.Window.Seconds())
	}
	return Metric{mj, Millijoules, samples * 1000 / mj}, nil
}

// isScenario compares names of scenarios, which submissions also write in lower case.
func isScenario(scenario string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, scenario) })
}
