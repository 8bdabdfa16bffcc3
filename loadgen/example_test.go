package loadgen_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// fiveMillis answers each query after 5 ms of virtual time.
func fiveMillis(clock *loadgentest.Clock) loadgen.SUT {
	return &loadgentest.Script{Clock: clock,
		Latency: func(loadgen.QuerySample) time.Duration { return 5 * time.Millisecond }}
}

// A Server run of ten minutes on virtual time.
func ExampleStartTest() {
	clock := &loadgentest.Clock{}
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.ServerTargetQPS, s.ServerTargetLatency = loadgen.Server, 100, 15*time.Millisecond
	s.MinDuration = 10 * time.Minute
	r, err := loadgen.StartTest(loadgentest.WithClock(context.Background(), clock), fiveMillis(clock),
		loadgentest.QSL{Total: 1000}, s, loadgen.LogSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s percentile %v, %.1f %s\n", r.Verdict, "99th", r.TargetPercentile.Latency, r.Metric, r.MetricUnit)
	// Output: VALID: 99th percentile 5ms, 100.6 samples/s
}

// The result of an INVALID run contains the reasons.
func ExampleReason() {
	clock := &loadgentest.Clock{}
	s := loadgen.DefaultTestSettings()
	s.MinDuration = 10 * time.Second // 5 ms for each query that is expected to take 20
	s.SingleStreamExpectedLatency = 20 * time.Millisecond
	r, err := loadgen.StartTest(loadgentest.WithClock(context.Background(), clock), fiveMillis(clock),
		loadgentest.QSL{Total: 1000}, s, loadgen.LogSettings{})
	if err != nil {
		log.Fatal(err)
	}
	for _, why := range r.Reasons {
		fmt.Printf("%s: %s, needed: %s\n", why.Rule, why.Measured, why.Needed)
		fmt.Println(strings.ReplaceAll(why.Hint, ": ", ":\n"))
	}
	// Output:
	// min_duration: 5 s until the last query was issued, needed: at least 10 s
	// Set target_latency (the expected latency, 20 ms now) to 5 ms, the measured mean:
	// that generates about 4,000 queries instead of 1,001.
}

// The largest number of streams whose queries, at 3 ms a sample, fit into an arrival interval of 50 ms.
func ExampleSearchStreams() {
	clock := &loadgentest.Clock{}
	sut := &loadgentest.Script{Clock: clock}
	sut.Latency = func(loadgen.QuerySample) time.Duration {
		queries := sut.Queries()
		return time.Duration(len(queries[len(queries)-1].Samples)) * 3 * time.Millisecond
	}
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MultiStreamArrivalInterval, s.NoEarlyStopping = loadgen.MultiStream, 50*time.Millisecond, true
	s.MinDuration, s.MinQueryCount = 10*time.Second, 200
	found, err := loadgen.SearchStreams(loadgentest.WithClock(context.Background(), clock), sut,
		loadgentest.QSL{Total: 1000}, s, loadgen.LogSettings{}, loadgen.StreamSearch{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Found, "streams in", len(found.Trials), "runs")
	// Output: 16 streams in 7 runs
}
