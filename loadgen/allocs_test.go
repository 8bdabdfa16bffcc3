package loadgen_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// counted is a SUT that answers at once. It records the process's allocated memory at its second query and at the query
// with the last sample. (The first query creates the answers.)
type counted struct {
	loadgentest.NullSUT
	last          loadgen.ResponseID
	calls         int
	before, after runtime.MemStats
}

func (c *counted) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if c.calls++; c.calls == 2 {
		runtime.ReadMemStats(&c.before)
	}
	if q.Samples[len(q.Samples)-1].ID == c.last {
		runtime.ReadMemStats(&c.after)
	}
	return c.NullSUT.IssueQuery(ctx, q, r)
}

// While the clock runs, LoadGen allocates no memory per query. Between the second and the last of 20,000 queries, it
// allocates only a few timers, and the runtime allocates memory independently of the number of queries.
func TestNothingIsAllocatedPerQuery(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates memory of its own")
	}
	const queries, few = 20_000, 500
	runtime.GC() // the first collection creates a worker for each processor
	for _, c := range []struct {
		name   string
		change func(*loadgen.TestSettings)
	}{
		{"SingleStream", func(s *loadgen.TestSettings) { s.Scenario = loadgen.SingleStream }},
		{"MultiStream", func(s *loadgen.TestSettings) { s.Scenario = loadgen.MultiStream }},
		{"MultiStream at intervals", func(s *loadgen.TestSettings) {
			s.Scenario, s.MultiStreamArrivalInterval, s.NoEarlyStopping = loadgen.MultiStream, 5*time.Microsecond, true
		}},
		{"Server", func(s *loadgen.TestSettings) { s.ServerTargetQPS = 1e9 }},
		{"Server, paced", func(s *loadgen.TestSettings) { s.ServerTargetQPS = 1e5 }},
		{"Server, coalescing", func(s *loadgen.TestSettings) { s.ServerTargetQPS, s.ServerCoalesceQueries = 1e5, true }},
		{"accuracy", func(s *loadgen.TestSettings) { s.Scenario, s.Mode = loadgen.SingleStream, loadgen.AccuracyOnly }},
	} {
		for _, tokens := range []bool{false, true} {
			s := quick(loadgen.Server, loadgen.PerformanceOnly)
			s.MinQueryCount, s.ServerTargetLatency = queries, time.Hour
			s.ServerTTFTLatency, s.ServerTPOTLatency = time.Hour, time.Hour
			c.change(&s)
			sut := &counted{last: queries - 1}
			if s.Scenario == loadgen.MultiStream {
				sut.last = loadgen.ResponseID(queries*s.MultiStreamSamplesPerQuery - 1)
			}
			if s.UseTokenLatencies = tokens && !s.NoEarlyStopping; s.UseTokenLatencies {
				sut.Tokens = 2
			}
			_, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: queries}, s,
				loadgen.LogSettings{OutDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			n := sut.after.Mallocs - sut.before.Mallocs
			if sut.after.Mallocs == 0 || n > few {
				t.Errorf("%s, tokens %v: %d allocations during %d queries", c.name, tokens, n, queries)
			}
			t.Logf("%s, tokens %v: %d allocations, %d bytes", c.name, tokens, n, sut.after.TotalAlloc-sut.before.TotalAlloc)
		}
	}
}
