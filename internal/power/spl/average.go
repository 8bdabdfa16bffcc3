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

// Window is the time of a run in which samples count: after Begin and before End.
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

// Seconds returns the length of the window, which is a whole number of microseconds.
func (w Window) Seconds() float64 { return float64(w.End.Sub(w.Begin).Microseconds()) / 1e6 }

// Contains reports whether a sample at time t counts.
func (w Window) Contains(t time.Time) bool { return t.After(w.Begin) && t.Before(w.End) }

// Average is the average of the samples in a window.
type Average struct {
	Window      Window
	Watts       float64 // mean of the samples in the window above zero; 0 if there are none
	Samples     int     // number of these samples
	ZeroSamples int     // number of samples in the window that are zero, negative or not a number
	// Gap is the longest time without a sample that counts, including the times before the first and after the last one.
	Gap time.Duration
	// Faults are the first unreadable lines. They do not include lines whose times are readable and outside the window.
	Faults []*mllog.LineError
}

// maxFaults limits the unreadable lines of an Average.
const maxFaults = 10

// Average reads all samples of a file. Unreadable lines are part of the result; the error is an error of r.
func (w Window) Average(r io.Reader) (Average, error) {
	a := Average{Window: w}
	samples, last, sum := NewSampleReader(r), w.Begin, 0.0
	for {
		s, err := samples.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if line, ok := errors.AsType[*mllog.LineError](err); ok {
			if len(a.Faults) < maxFaults && (s.Time.IsZero() || w.Contains(s.Time)) {
				a.Faults = append(a.Faults, line)
			}
			continue
		}
		if err != nil {
			return a, err
		}
		switch {
		case !w.Contains(s.Time):
		case s.Watts > 0:
			a.Samples++
			sum += s.Watts
			a.Gap, last = max(a.Gap, s.Time.Sub(last)), s.Time
		default:
			a.ZeroSamples++
		}
	}
	a.Gap = max(a.Gap, w.End.Sub(last))
	if a.Samples > 0 {
		a.Watts = sum / float64(a.Samples)
	}
	return a, nil
}

// The units of the power result in the official tables.
const (
	Watts       = "Watts"
	Millijoules = "millijoules" // per query
)

// PowerResult is the power result of a scenario.
type PowerResult struct {
	Value float64
	Unit  string // Watts or Millijoules
	// Efficiency is the performance per watt: samples, tokens or queries per joule.
	Efficiency float64
}

// MeasuredRun describes the run of an average.
type MeasuredRun struct {
	Scenario       string // scenario of the result; in a submission, the name of its folder
	LoggedScenario string // the log's effective_scenario, which differs if the result is inferred
	Queries        uint64 // the log's result_query_count
	// Performance is the result of the run in its unit. It is not used for SingleStream and MultiStream.
	Performance float64
}

// streamSamples is the number of samples of a MultiStream query. The official metric does not read it from the log.
const streamSamples = 8

// PowerResult returns the power result of an average: watts in Offline, Server and Interactive, and millijoules per
// query in SingleStream and MultiStream. A MultiStream query has eight samples, also if the result is inferred from
// SingleStream.
func (a Average) Metric(m MeasuredRun) (PowerResult, error) {
	if a.Samples == 0 {
		return PowerResult{}, fmt.Errorf("no sample of power above zero within the run, %s to %s",
			a.Window.Begin.Format(time.DateTime), a.Window.End.Format(time.DateTime))
	}
	switch {
	case isScenario(m.Scenario, "Offline", "Server", "Interactive"):
		return PowerResult{a.Watts, Watts, m.Performance / a.Watts}, nil
	case !isScenario(m.Scenario, "SingleStream", "MultiStream"):
		return PowerResult{}, fmt.Errorf("found the scenario %q, which has no power result", m.Scenario)
	case m.Queries == 0:
		return PowerResult{}, errors.New("result_query_count is 0 or missing, so that there is no energy per query")
	}
	energy, samples := a.Watts*a.Window.Seconds(), 1.0
	if isScenario(m.Scenario, "MultiStream") {
		samples = streamSamples
	}
	if isScenario(m.Scenario, "MultiStream") && isScenario(m.LoggedScenario, "SingleStream") {
		energy *= streamSamples
	}
	mj := energy * 1000 / float64(m.Queries)
	if math.IsNaN(mj) || mj == 0 {
		return PowerResult{}, fmt.Errorf("the run lasted %v s, so that there is no energy per query", a.Window.Seconds())
	}
	return PowerResult{mj, Millijoules, samples * 1000 / mj}, nil
}

// isScenario compares names of scenarios without case, because submissions also write them in lower case.
func isScenario(scenario string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, scenario) })
}
