package host_test

import (
	"os"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
)

// The benchmarks of this file are whole tests of LoadGen, with recording and logs, and with the null plugin in its own
// process. They measure the cost of a run without the model.

// flood returns settings of a test of n samples that are issued as fast as they are accepted.
func flood(s loadgen.Scenario, n uint64) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = s, loadgen.PerformanceOnly
	t.MinDuration, t.MinQueryCount = 0, n
	t.ServerTargetQPS = 1e9
	t.ServerTargetLatency = time.Hour // after a missed limit, LoadGen would spend time on an estimate
	return t
}

// Number of samples in one test, for about a second.
const (
	singleStreamQueries = 200_000
	serverQueries       = 2_000_000
	offlineSamples      = 10_000_000
)

// The round trip of one query at a time in LoadGen's records.
func BenchmarkLoadGenSingleStream(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		settings := flood(loadgen.SingleStream, singleStreamQueries)
		if o.StreamOnly {
			settings.MinQueryCount /= 20
		}
		var median, high time.Duration
		costs := floodPlugin(b, o, settings, func(r *loadgen.Result) {
			median, high = median+percentile(b, r, 0.5), high+percentile(b, r, 0.99)
		})
		b.ReportMetric(float64(median)/float64(b.N)/1e3, "p50-us")
		b.ReportMetric(float64(high)/float64(b.N)/1e3, "p99-us")
		costs.report(b, "query")
	})
}

// Server queries of one sample, all of them due at once.
func BenchmarkLoadGenServer(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		rate := 0.0
		costs := floodPlugin(b, o, flood(loadgen.Server, serverQueries),
			func(r *loadgen.Result) { rate += r.CompletedSamplesPerSec })
		b.ReportMetric(rate/float64(b.N)/1e6, "Mq/s")
		costs.report(b, "query")
	})
}

// One Offline query, payloads of 4 bytes.
func BenchmarkLoadGenOffline(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		rate := 0.0
		costs := floodPlugin(b, o, flood(loadgen.Offline, offlineSamples),
			func(r *loadgen.Result) { rate += r.SamplesPerSec })
		b.ReportMetric(rate/float64(b.N)/1e6, "Msamples/s")
		costs.report(b, "sample")
	})
}

func percentile(b *testing.B, r *loadgen.Result, p float64) time.Duration {
	b.Helper()
	for _, q := range r.Latency.Percentiles {
		if q.P == p {
			return q.Latency
		}
	}
	b.Fatalf("the result has no percentile %v", p)
	return 0
}

// costs contains the processor time of whole tests, for both processes together.
type costs struct {
	whole   time.Duration // with the plugin
	loadGen time.Duration // of the same tests with a SUT that answers inside IssueQuery
	samples float64
}

// report reports the processor time per sample, in total and for the plugin boundary. The latter is the difference to
// the same test without a plugin.
func (c costs) report(b *testing.B, what string) {
	b.ReportMetric(float64(c.whole)/c.samples, "cpu-ns/"+what)
	b.ReportMetric(float64(c.whole-c.loadGen)/c.samples, "boundary-cpu-ns/"+what)
}

// floodPlugin runs b.N tests on the null plugin, and passes each result to see.
func floodPlugin(b *testing.B, o host.LaunchOptions, s loadgen.TestSettings, see func(*loadgen.Result)) costs {
	b.Helper()
	p := launchOwn(b, o)
	w, err := p.Open(b.Context(), sdk.Options{Scenario: s.Scenario})
	if err != nil {
		b.Fatal(err)
	}
	c := costs{samples: float64(s.MinQueryCount) * float64(b.N)}
	warm := s
	warm.MinQueryCount /= 10
	runFlood(b, w.SUT(), w.QSL(), warm)
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b, os.Getpid(), p.PID())
	for range b.N {
		see(runFlood(b, w.SUT(), w.QSL(), s))
	}
	c.whole = processorTime(b, os.Getpid(), p.PID()) - before
	b.StopTimer()
	before = processorTime(b, os.Getpid())
	for range b.N {
		runFlood(b, &loadgentest.NullSUT{Data: make([]byte, 4)}, w.QSL(), s)
	}
	c.loadGen = processorTime(b, os.Getpid()) - before
	return c
}

func processorTime(b *testing.B, pids ...int) time.Duration {
	b.Helper()
	t, err := osprocess.ProcessorTime(pids...)
	if err != nil {
		b.Skip(err)
	}
	return t
}

func runFlood(b *testing.B, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings) *loadgen.Result {
	b.Helper()
	start := loadgen.StartTest
	if path := os.Getenv("PLUMBLINE_OFFICIAL_LIBRARY"); path != "" { // make bench-official
		l, err := official.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		start = l.StartTest
	}
	r, err := start(b.Context(), sut, qsl, s, loadgen.LogSettings{OutDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	if len(r.Errors) > 0 {
		b.Fatalf("%+v", r.Errors)
	}
	return r
}
