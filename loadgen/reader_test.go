package loadgen_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// latencies is a visitor that stores the records.
type latencies struct {
	samples, queries, delays []time.Duration
	ttft, tpot               []time.Duration
	tokens                   uint64
}

func (l *latencies) Sample(m loadgen.Measured) {
	l.samples = append(l.samples, m.Latency)
	if l.tokens += uint64(m.Tokens); m.TTFT != 0 {
		l.ttft, l.tpot = append(l.ttft, m.TTFT), append(l.tpot, m.TPOT())
	}
}

func (l *latencies) Query(latency, delay time.Duration) {
	l.queries, l.delays = append(l.queries, latency), append(l.delays, delay)
}

// beside runs a test and a concurrent reader that reads few samples at a time, and all samples at the end.
func beside(t *testing.T, sut loadgen.SUT, s loadgen.TestSettings) (*loadgen.Result, *latencies, loadgen.Counts) {
	t.Helper()
	progress, got := &loadgen.Progress{}, &latencies{}
	reader := progress.Reader()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				reader.Read(300, got)
				time.Sleep(100 * time.Microsecond)
			}
		}
	})
	r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 100, Performance: 30}, s,
		loadgen.LogSettings{Progress: progress})
	close(done)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if reader.Read(loadgen.ReadAll, got) {
			t.Error("there is more after all of it")
		}
	}
	return r, got, reader.Counts()
}

func wantSummary(t *testing.T, what string, got []time.Duration, want loadgen.LatencySummary) {
	t.Helper()
	if len(got) != want.N {
		t.Errorf("%s: %d read, the result has %d", what, len(got), want.N)
		return
	}
	slices.Sort(got)
	for _, p := range want.Percentiles {
		if at := got[min(len(got)-1, int(float64(len(got))*p.P))]; at != p.Latency {
			t.Errorf("%s: percentile %v is %v, the result's %v", what, p.P, at, p.Latency)
		}
	}
}

// slow answers from its own goroutines in any order.
type slow struct {
	loadgentest.NullSUT
	wg sync.WaitGroup
}

func (s *slow) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	for _, sample := range q.Samples {
		s.wg.Go(func() {
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
			r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: sample.ID}})
		})
	}
	return nil
}

func TestReaderReadsWhatTheResultSays(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		for _, sut := range []loadgen.SUT{&loadgentest.NullSUT{}, &slow{}} {
			t.Run(fmt.Sprintf("%v/%T", scenario, sut), func(t *testing.T) {
				s := quick(scenario, loadgen.PerformanceOnly)
				s.MultiStreamSamplesPerQuery = 3
				r, got, counts := beside(t, sut, s)
				wantSummary(t, "latency", got.samples, r.Latency)
				if scenario == loadgen.MultiStream {
					wantSummary(t, "query latency", got.queries, r.QueryLatency)
				}
				if scenario == loadgen.Server {
					wantSummary(t, "issue delay", got.delays, r.IssueDelay)
				}
				want := loadgen.Counts{Queries: r.QueryCount, Issued: r.SampleCount, Done: r.SampleCount, Read: r.SampleCount}
				if counts != want {
					t.Errorf("counts %+v, want %+v", counts, want)
				}
			})
		}
	}
}

func TestReaderOfServersLanes(t *testing.T) {
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerNumIssueQueryThreads = 3
	r, got, _ := beside(t, &slow{}, s)
	wantSummary(t, "latency", got.samples, r.Latency)
}

func TestReaderReadsTokens(t *testing.T) {
	s := tokenSettings(loadgen.Server, loadgen.PerformanceOnly)
	s.ServerTargetQPS = 1e5
	r, got, _ := beside(t, &loadgentest.NullSUT{Tokens: 5}, s)
	wantSummary(t, "TTFT", got.ttft, r.Tokens.TTFT.Latency)
	wantSummary(t, "TPOT", got.tpot, r.Tokens.TPOT.Latency)
	if got.tokens != 5*r.SampleCount {
		t.Errorf("%d tokens, want %d", got.tokens, 5*r.SampleCount)
	}
}

// TestReaderMissesNoSeries checks tests with many short series, which end before a reader reads them. An accuracy test
// has a series for each loadable set, and a search for the peak one for each rate.
func TestReaderMissesNoSeries(t *testing.T) {
	_, got, counts := beside(t, &loadgentest.NullSUT{}, quick(loadgen.Offline, loadgen.AccuracyOnly))
	if len(got.samples) != 100 || counts.Done != 100 {
		t.Errorf("%d samples read, counts %+v, want 100", len(got.samples), counts)
	}
}

func TestReaderThatComesLateReadsNothing(t *testing.T) {
	progress, got := &loadgen.Progress{}, &latencies{}
	if _, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 10},
		quick(loadgen.SingleStream, loadgen.PerformanceOnly), loadgen.LogSettings{Progress: progress}); err != nil {
		t.Fatal(err)
	}
	reader := progress.Reader()
	if reader.Read(loadgen.ReadAll, got) || len(got.samples) != 0 || reader.Counts() != (loadgen.Counts{}) {
		t.Errorf("%d samples, counts %+v", len(got.samples), reader.Counts())
	}
}
