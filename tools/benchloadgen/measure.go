package main

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// workload is a scenario with the number of samples of a run.
type workload struct {
	name     string
	scenario loadgen.Scenario
	samples  uint64
	official float64 // millions of samples per second, recorded
	python   uint64  // samples of a run of the Python package
	tokens   bool    // a token run
}

var workloads = []workload{
	{"SingleStream", loadgen.SingleStream, 2e6, 0.605, 1e5, false},
	{"MultiStream x8", loadgen.MultiStream, 8e6, 2.5, 8e5, false},
	{"Server, unpaced", loadgen.Server, 2e6, 0.7, 1e5, false},
	{"Offline", loadgen.Offline, 1e7, 4.4, 1e6, false},
}

// withTokens are the same as token runs, with no figures to compare with.
func withTokens() []workload {
	return lists.Map(workloads, func(w workload) workload {
		return workload{name: w.name + ", tokens", scenario: w.scenario, tokens: true}
	})
}

// queryBytes is what a run holds of each sample to ask for it: its index, in Offline the whole query, which exists
// before the clock starts.
func (w workload) queryBytes() float64 {
	if w.scenario == loadgen.Offline {
		return 8
	}
	return 4
}

// sut answers at once.
func (w workload) sut() *loadgentest.NullSUT {
	if w.tokens {
		return &loadgentest.NullSUT{Tokens: 2}
	}
	return &loadgentest.NullSUT{}
}

// settings of a run of so many samples that lasts as long as it takes.
func (w workload) settings(samples uint64) loadgen.TestSettings {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = w.scenario, 0, samples, 1e9
	if w.scenario == loadgen.MultiStream {
		s.MinQueryCount = samples / s.MultiStreamSamplesPerQuery
	}
	s.UseTokenLatencies = w.tokens
	// What these runs cost must not depend on their verdicts: for one that misses a limit LoadGen
	// estimates what would pass.
	s.ServerTargetLatency, s.ServerTTFTLatency, s.ServerTPOTLatency = time.Hour, time.Hour, time.Hour
	return s
}

var library = loadgentest.QSL{Total: 50000, Performance: 1024}

// test runs StartTest with logs in a directory of its own and returns how long it took.
func test(ctx context.Context, sut loadgen.SUT, s loadgen.TestSettings, trace, spin bool) (*loadgen.Result,
	time.Duration, error) {
	dir, err := os.MkdirTemp("", "benchloadgen")
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory: the system clears what is left
	runtime.GC()
	began := time.Now()
	r, err := loadgen.StartTest(ctx, sut, library, s, loadgen.LogSettings{OutDir: dir, EnableTrace: trace, Spin: spin})
	return r, time.Since(began), err
}

// rate is in millions of samples per second.
func (w workload) rate(ctx context.Context, samples uint64, trace bool) (float64, error) {
	r, took, err := test(ctx, w.sut(), w.settings(samples), trace, false)
	if err != nil {
		return 0, err
	}
	return float64(r.SampleCount) / took.Seconds() / 1e6, nil
}

// firstCall notes when its first query came.
type firstCall struct {
	loadgentest.NullSUT
	at time.Time
}

func (f *firstCall) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if f.at.IsZero() {
		f.at = time.Now()
	}
	return f.NullSUT.IssueQuery(ctx, q, r)
}

// timeToFirstQuery is in milliseconds, of an Offline run.
func timeToFirstQuery(ctx context.Context, samples uint64) (float64, error) {
	sut := &firstCall{}
	began := time.Now()
	_, _, err := test(ctx, sut, workload{scenario: loadgen.Offline}.settings(samples), false, false)
	return float64(sut.at.Sub(began).Microseconds()) / 1e3, err
}

// pace is a rate of Server queries.
type pace struct {
	qps      float64
	official float64 // recorded p50 of the issue delay, us
}

var paces = []pace{{1e3, 77}, {1e4, 70}, {5e4, 46}, {1e5, 41}}

// paced is one paced run: issue delays in us, processor time in percent of one core.
type paced struct{ p50, p99, cpu float64 }

// run lasts two seconds.
func (p pace) run(ctx context.Context, quick, spin bool) (paced, error) {
	s := workload{scenario: loadgen.Server}.settings(uint64(2 * p.qps))
	if quick {
		s.MinQueryCount /= 10
	}
	s.ServerTargetQPS = p.qps
	before := processorTime()
	r, took, err := test(ctx, &loadgentest.NullSUT{}, s, false, spin)
	if err != nil {
		return paced{}, err
	}
	m := paced{cpu: 100 * float64(processorTime()-before) / float64(took)}
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
