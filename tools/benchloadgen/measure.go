package main

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// workload is a scenario with the number of samples in a run.
type workload struct {
	name     string
	scenario loadgen.Scenario
	samples  uint64
	official float64 // recorded rate in millions of samples per second
	python   uint64  // samples in a run of the Python package
	tokens   bool    // a run with tokens
}

var workloads = []workload{
	{"SingleStream", loadgen.SingleStream, 2e6, 0.605, 1e5, false},
	{"MultiStream x8", loadgen.MultiStream, 8e6, 2.5, 8e5, false},
	{"Server, unpaced", loadgen.Server, 2e6, 0.7, 1e5, false},
	{"Offline", loadgen.Offline, 1e7, 4.4, 1e6, false},
}

// tokenWorkloads returns the workloads as runs with tokens, for which there are no official figures.
func tokenWorkloads() []workload {
	var all []workload
	for _, w := range workloads {
		all = append(all, workload{name: w.name + ", tokens", scenario: w.scenario, tokens: true})
	}
	return all
}

// queryBytes returns the memory that a run needs to request one sample: its index. In Offline it is the whole query,
// which exists before the clock starts.
func (w workload) queryBytes() float64 {
	if w.scenario == loadgen.Offline {
		return 8
	}
	return 4
}

// newSUT returns a SUT that answers at once.
func (w workload) newSUT() *loadgentest.NullSUT {
	if w.tokens {
		return &loadgentest.NullSUT{Tokens: 2}
	}
	return &loadgentest.NullSUT{}
}

// newSettings returns the settings of a run with a number of samples and without a minimum duration.
func (w workload) newSettings(samples uint64) loadgen.TestSettings {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = w.scenario, 0, samples, 1e9
	if w.scenario == loadgen.MultiStream {
		s.MinQueryCount = samples / s.MultiStreamSamplesPerQuery
	}
	s.UseTokenLatencies = w.tokens
	// The costs of these runs must not depend on their verdicts: LoadGen computes further estimates for a run that misses
	// a limit.
	s.ServerTargetLatency, s.ServerTTFTLatency, s.ServerTPOTLatency = time.Hour, time.Hour, time.Hour
	return s
}

var sampleLibrary = loadgentest.QSL{Total: 50000, Performance: 1024}

// measureTest runs StartTest with logs in a new directory and returns its duration.
func measureTest(ctx context.Context, sut loadgen.SUT, s loadgen.TestSettings, trace, spin bool) (*loadgen.Result,
	time.Duration, error) {
	dir, err := os.MkdirTemp("", "benchloadgen")
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory; the system removes the rest
	runtime.GC()
	began := time.Now()
	r, err := loadgen.StartTest(ctx, sut, sampleLibrary, s, loadgen.LogSettings{OutDir: dir, EnableTrace: trace,
		Spin: spin})
	return r, time.Since(began), err
}

// measureRate returns the rate in millions of samples per second.
func (w workload) measureRate(ctx context.Context, samples uint64, trace bool) (float64, error) {
	r, took, err := measureTest(ctx, w.newSUT(), w.newSettings(samples), trace, false)
	if err != nil {
		return 0, err
	}
	return float64(r.SampleCount) / took.Seconds() / 1e6, nil
}

// firstQuerySUT records the time of its first query.
type firstQuerySUT struct {
	loadgentest.NullSUT
	at time.Time
}

func (f *firstQuerySUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if f.at.IsZero() {
		f.at = time.Now()
	}
	return f.NullSUT.IssueQuery(ctx, q, r)
}

// timeToFirstQuery returns the time until the first query of an Offline run in milliseconds.
func timeToFirstQuery(ctx context.Context, samples uint64) (float64, error) {
	sut := &firstQuerySUT{}
	began := time.Now()
	_, _, err := measureTest(ctx, sut, workload{scenario: loadgen.Offline}.newSettings(samples), false, false)
	return float64(sut.at.Sub(began).Microseconds()) / 1e3, err
}

// serverRate is a rate of Server queries.
type serverRate struct {
	qps      float64
	official float64 // recorded median of the issue delay in us
}

var serverRates = []serverRate{{1e3, 77}, {1e4, 70}, {5e4, 46}, {1e5, 41}}

// pacingResult is the result of one run at a rate: issue delays in us, and processor time in percent of one core.
type pacingResult struct{ p50, p99, cpu float64 }

// measure runs LoadGen at the rate for two seconds.
func (p serverRate) measure(ctx context.Context, quick, spin bool) (pacingResult, error) {
	s := workload{scenario: loadgen.Server}.newSettings(uint64(2 * p.qps))
	if quick {
		s.MinQueryCount /= 10
	}
	s.ServerTargetQPS = p.qps
	before := processorTime()
	r, took, err := measureTest(ctx, &loadgentest.NullSUT{}, s, false, spin)
	if err != nil {
		return pacingResult{}, err
	}
	m := pacingResult{cpu: 100 * float64(processorTime()-before) / float64(took)}
	for _, l := range r.IssueDelay.Percentiles {
		switch us := float64(l.Latency) / 1e3; l.P {
		case 0.5:
			m.p50 = us
		case 0.99:
			m.p99 = us
		}
	}
	return m, nil
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
