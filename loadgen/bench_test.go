package loadgen_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// BenchmarkStartTest measures whole tests with logs and with a SUT that answers at once.
func BenchmarkStartTest(b *testing.B) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		samples  uint64
	}{{loadgen.SingleStream, 2e6}, {loadgen.MultiStream, 5e5}, {loadgen.Server, 2e6}, {loadgen.Offline, 2e7}} {
		b.Run(c.scenario.String(), func(b *testing.B) {
			s := quick(c.scenario, loadgen.PerformanceOnly)
			s.MinQueryCount = c.samples
			s.ServerTargetQPS = 1e9
			b.ReportAllocs()
			for b.Loop() {
				run(b, s, false)
			}
			n := c.samples
			if c.scenario == loadgen.MultiStream {
				n *= s.MultiStreamSamplesPerQuery
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
		})
	}
}

func run(b *testing.B, s loadgen.TestSettings, spin bool) *loadgen.Result {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	r, err := loadgen.StartTest(ctx, &loadgentest.NullSUT{}, loadgentest.QSL{Total: 50000, Performance: 1024}, s,
		loadgen.LogSettings{OutDir: b.TempDir(), Spin: spin})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkSingleStreamHandover measures queries that another goroutine answers, with two switches between goroutines
// per query.
func BenchmarkSingleStreamHandover(b *testing.B) {
	s := quick(loadgen.SingleStream, loadgen.PerformanceOnly)
	s.MinQueryCount = 100000
	b.ReportAllocs()
	for b.Loop() {
		sut := newPool()
		if _, err := loadgen.StartTest(b.Context(), sut, loadgentest.QSL{Total: 1024}, s,
			loadgen.LogSettings{OutDir: b.TempDir()}); err != nil {
			b.Fatal(err)
		}
		sut.close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.MinQueryCount), "ns/query")
}

// BenchmarkServerPacing reports the delay of issued queries at several rates, with and without spinning, and the run's
// share of one processor.
func BenchmarkServerPacing(b *testing.B) {
	for _, spin := range []bool{false, true} {
		for _, qps := range []float64{1e3, 1e4, 5e4, 1e5} {
			b.Run(fmt.Sprintf("%s/%.0f", map[bool]string{false: "sleep", true: "spin"}[spin], qps), func(b *testing.B) {
				s := quick(loadgen.Server, loadgen.PerformanceOnly)
				s.ServerTargetQPS, s.MinQueryCount = qps, uint64(qps)
				b.ReportAllocs()
				var r *loadgen.Result
				used := processorTime()
				for b.Loop() {
					r = run(b, s, spin)
				}
				b.ReportMetric(100*float64(processorTime()-used)/float64(b.Elapsed()), "%cpu")
				for _, p := range r.IssueDelay.Percentiles {
					switch p.P {
					case 0.5:
						b.ReportMetric(float64(p.Latency)/1e3, "p50-us")
					case 0.99:
						b.ReportMetric(float64(p.Latency)/1e3, "p99-us")
					}
				}
			})
		}
	}
}

// firstQuery records the time of the first query.
type firstQuery struct {
	loadgentest.NullSUT
	at time.Time
}

func (f *firstQuery) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if f.at.IsZero() {
		f.at = time.Now()
	}
	return f.NullSUT.IssueQuery(ctx, q, r)
}

// BenchmarkFirstQuery measures the time from StartTest to the first query of a run of 10 million samples.
func BenchmarkFirstQuery(b *testing.B) {
	for _, scenario := range loadgen.Scenarios() {
		b.Run(scenario.String(), func(b *testing.B) {
			s := quick(scenario, loadgen.PerformanceOnly)
			s.MinQueryCount, s.ServerTargetQPS = 1e7, 1e9
			if scenario == loadgen.MultiStream {
				s.MinQueryCount /= s.MultiStreamSamplesPerQuery
			}
			var took time.Duration
			for b.Loop() {
				sut := &firstQuery{}
				began := time.Now()
				if _, err := loadgen.StartTest(b.Context(), sut, loadgentest.QSL{Total: 50000, Performance: 1024}, s,
					loadgen.LogSettings{OutDir: b.TempDir()}); err != nil {
					b.Fatal(err)
				}
				took += sut.at.Sub(began)
			}
			b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms-to-first-query")
		})
	}
}

// BenchmarkScale shows that the cost per sample does not grow with the number of samples.
func BenchmarkScale(b *testing.B) {
	for _, scenario := range []loadgen.Scenario{loadgen.SingleStream, loadgen.Server, loadgen.Offline} {
		for _, samples := range []uint64{1e3, 1e5, 1e7, 1e8} {
			if samples > 1e7 && scenario != loadgen.Offline {
				continue // takes a minute
			}
			b.Run(fmt.Sprintf("%v/%d", scenario, samples), func(b *testing.B) {
				s := quick(scenario, loadgen.PerformanceOnly)
				s.MinQueryCount, s.ServerTargetQPS = samples, 1e9
				for b.Loop() {
					run(b, s, false)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(samples), "ns/sample")
			})
		}
	}
}
