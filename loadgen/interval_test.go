package loadgen_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

const interval = 50 * time.Millisecond

// intervalSettings returns the settings of a MultiStream run of v0.7 with fewer queries.
func intervalSettings(queries uint64) loadgen.TestSettings {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MultiStreamSamplesPerQuery = loadgen.MultiStream, 4
	s.MultiStreamArrivalInterval, s.NoEarlyStopping = interval, true
	s.MinDuration, s.MinQueryCount = 0, queries
	return s
}

// queryTimes is a SUT whose queries take the listed numbers of milliseconds. Queries after the list take the last time.
// The samples of a query are answered one ms after another, the last one at that time.
func queryTimes(clock *loadgentest.Clock, perQuery int, times ...float64) *loadgentest.Script {
	return &loadgentest.Script{Clock: clock, Latency: func(s loadgen.QuerySample) time.Duration {
		q, i := int(s.ID)/perQuery, int(s.ID)%perQuery
		ms := times[min(q, len(times)-1)] - float64(perQuery-1-i)
		return time.Duration(ms * float64(time.Millisecond))
	}}
}

func runOn(
	t *testing.T, clock *loadgentest.Clock, sut loadgen.SUT, s loadgen.TestSettings, l loadgen.LogSettings,
) *loadgen.Result {
	t.Helper()
	r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 64}, s, l)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestArrivalIntervals checks the rule of the texts: a query is issued at each interval that begins after the previous
// query is complete.
func TestArrivalIntervals(t *testing.T) {
	for name, c := range map[string]struct {
		times   []float64 // in ms for each of six queries
		at      []int     // the intervals in which they are issued
		skipped uint64
		late    uint64 // queries that caused skipped intervals, or a late last query
	}{
		"in time":           {[]float64{10}, []int{0, 1, 2, 3, 4, 5}, 0, 0},
		"just in time":      {[]float64{50}, []int{0, 1, 2, 3, 4, 5}, 0, 0},
		"a moment too late": {[]float64{10, 50.000001, 10}, []int{0, 1, 3, 4, 5, 6}, 1, 1},
		"three intervals":   {[]float64{10, 160, 10}, []int{0, 1, 5, 6, 7, 8}, 3, 1},
		"two of them":       {[]float64{60, 70, 10}, []int{0, 2, 4, 5, 6, 7}, 2, 2},
		"the last":          {[]float64{10, 10, 10, 10, 10, 51}, []int{0, 1, 2, 3, 4, 5}, 0, 1},
		"all":               {[]float64{99}, []int{0, 2, 4, 6, 8, 10}, 5, 6},
	} {
		t.Run(name, func(t *testing.T) {
			clock := &loadgentest.Clock{}
			sut := queryTimes(clock, 4, c.times...)
			r := runOn(t, clock, sut, intervalSettings(6), loadgen.LogSettings{})
			for i, q := range sut.Queries() {
				if want := time.Duration(c.at[i]) * interval; q.At != want || len(q.Samples) != 4 {
					t.Errorf("query %d of %d samples at %v, want %v", i, len(q.Samples), q.At, want)
				}
			}
			if v := r.Intervals; v.Skipped != c.skipped || v.Overtime != c.late || v.Counted != 6 || r.QueryCount != 6 {
				t.Errorf("%d queries, %+v; want %d skipped, %d late", r.QueryCount, *v, c.skipped, c.late)
			}
		})
	}
}

// TestDroppedQueriesCount checks the counting of v0.5: each dropped query counts once, relative to the issued and the
// dropped queries.
func TestDroppedQueriesCount(t *testing.T) {
	s := intervalSettings(27)
	s.MultiStreamCountDropped, s.MultiStreamTargetLatencyPercentile = true, 0.9
	times := make([]float64, 28)
	for i := range times {
		times[i] = 10
	}
	times[3] = 160
	clock := &loadgentest.Clock{}
	r := runOn(t, clock, queryTimes(clock, 4, times...), s, loadgen.LogSettings{})
	if v := *r.Intervals; v.Skipped != 3 || v.Overtime != 3 || v.Counted != 30 || v.Allowed != 3 ||
		r.Verdict != loadgen.Valid {
		t.Errorf("%v %+v", r.Verdict, v)
	}
	times[20] = 51
	clock = &loadgentest.Clock{}
	r = runOn(t, clock, queryTimes(clock, 4, times...), s, loadgen.LogSettings{})
	if v := *r.Intervals; v.Overtime != 4 || v.Allowed != 3 || r.Verdict != loadgen.Invalid || len(r.Reasons) != 1 ||
		r.Reasons[0].Rule != "arrival_interval" {
		t.Errorf("%v %+v %v", r.Verdict, v, r.Reasons)
	}
}

// TestIntervalVerdict checks the share in the round's text: 1 % of the queries may be late.
func TestIntervalVerdict(t *testing.T) {
	for late, want := range map[int]loadgen.Verdict{0: loadgen.Valid, 10: loadgen.Valid, 11: loadgen.Invalid} {
		clock := &loadgentest.Clock{}
		times := make([]float64, 1001)
		for i := range times {
			times[i] = 10
			if i%90 == 5 && i/90 < late {
				times[i] = 60
			}
		}
		r := runOn(t, clock, queryTimes(clock, 4, times...), intervalSettings(1000), loadgen.LogSettings{})
		if r.Verdict != want || int(r.Intervals.Overtime) != late || r.Intervals.Allowed != 10 || r.Metric != 4 ||
			r.MetricUnit != "samples" {
			t.Errorf("%d late: %v, %+v, metric %v %s", late, r.Verdict, *r.Intervals, r.Metric, r.MetricUnit)
		}
	}
}

// TestIntervalsLastTheMinimumDuration checks that a run continues until both minima are reached.
func TestIntervalsLastTheMinimumDuration(t *testing.T) {
	s := intervalSettings(10)
	s.MinDuration = 2 * time.Second
	clock := &loadgentest.Clock{}
	r := runOn(t, clock, queryTimes(clock, 4, 10), s, loadgen.LogSettings{})
	if r.QueryCount != 41 || !r.MinDurationMet || r.Verdict != loadgen.Valid { // query 41 is issued after 2 s
		t.Errorf("%d queries, %v %v", r.QueryCount, r.Verdict, r.Reasons)
	}
}

// TestIntervalLogs checks the additional entries in the logs of such a run.
func TestIntervalLogs(t *testing.T) {
	clock, dir := &loadgentest.Clock{}, t.TempDir()
	runOn(t, clock, queryTimes(clock, 4, 60), intervalSettings(10), loadgen.LogSettings{OutDir: dir})
	detail := readText(t, filepath.Join(dir, "mlperf_log_detail.txt"))
	for _, want := range []string{
		`"requested_multi_stream_arrival_interval_ns", "value": 50000000,`, `"result_skipped_interval_count", "value": 9,`,
		`"result_overtime_query_count", "value": 10,`,
		`"result_invalid_reason", "value": "Reduce samples per query to improve latency. "`,
		`"effective_target_qps", "value": 20,`, `"result_perf_constraints_met", "value": false,`,
	} {
		if !strings.Contains(detail, want) {
			t.Errorf("the detail log has no %s", want)
		}
	}
	summary := readText(t, filepath.Join(dir, "mlperf_log_summary.txt"))
	for _, want := range []string{"Samples per query: 4\n", "Performance constraints satisfied : NO",
		"Skipped intervals               : 9\n", "Reduce samples per query to improve latency."} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary has no %q:\n%s", want, summary)
		}
	}
	if strings.Contains(detail+summary, "arly_stopping_") || strings.Contains(summary, "Early") {
		t.Error("the logs speak of early stopping")
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestIntervalEnds runs a SUT that never answers. The context ends the run ten intervals later.
func TestIntervalEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the grace for the answer also takes no time
		ctx, cancel := context.WithCancel(t.Context())
		clock := &loadgentest.Clock{}
		clock.After(10*interval, cancel)
		sut := &loadgentest.Script{Clock: clock, Answers: func(loadgen.QuerySample) []loadgen.ResponseID { return nil }}
		r, err := loadgen.StartTest(loadgentest.WithClock(ctx, clock), sut, loadgentest.QSL{Total: 64}, intervalSettings(10),
			loadgen.LogSettings{})
		if !errors.Is(err, loadgen.ErrInterrupted) || r == nil || r.QueryCount != 1 || r.Verdict != loadgen.Invalid {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// TestIntervalRealTime runs on the machine's clock with a SUT that answers at once.
func TestIntervalRealTime(t *testing.T) {
	s := intervalSettings(20)
	s.MultiStreamArrivalInterval = 2 * time.Millisecond
	r, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 64}, s, loadgen.LogSettings{})
	if err != nil || r.QueryCount != 20 || r.Duration < 19*s.MultiStreamArrivalInterval {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestLegacyScenariosWithoutEarlyStopping(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.MinDuration, s.MinQueryCount, s.NoEarlyStopping = 0, 20, true // early stopping would require 64 queries
	clock := &loadgentest.Clock{}
	r := runOn(t, clock, queryTimes(clock, 1, 7), s, loadgen.LogSettings{OutDir: t.TempDir()})
	if r.Verdict != loadgen.Valid || r.Metric != 7e6 || len(r.Warnings) != 0 {
		t.Errorf("SingleStream: %v %v, metric %v, warnings %v", r.Verdict, r.Reasons, r.Metric, r.Warnings)
	}
	s.Scenario, s.ServerTargetQPS, s.ServerTargetLatency, s.MinQueryCount = loadgen.Server, 10, interval, 1000
	late := func(n int) *loadgen.Result {
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{Clock: clock, Latency: func(q loadgen.QuerySample) time.Duration {
			if int(q.ID) < n {
				return 2 * interval
			}
			return interval
		}}
		return runOn(t, clock, sut, s, loadgen.LogSettings{})
	}
	// The 99th percentile of 1,000 latencies is the 991st: 9 may be above the limit. Early stopping allows 3.
	if r := late(9); r.Verdict != loadgen.Valid {
		t.Errorf("Server, 9 late: %v", r.Reasons)
	}
	if r := late(10); r.Verdict != loadgen.Invalid || len(r.Reasons) != 1 || r.Reasons[0].Rule != "latency" {
		t.Errorf("Server, 10 late: %v %v", r.Verdict, r.Reasons)
	}
}

// streamsSUT takes 3 ms for each sample of a query, and another 100 ms for the first sample if slow returns true.
func streamsSUT(clock *loadgentest.Clock, slow func(call int) bool) *callCounter {
	c := &callCounter{}
	c.Script = loadgentest.Script{Clock: clock, Latency: func(s loadgen.QuerySample) time.Duration { return c.latency(s) }}
	c.slow = slow
	return c
}

type callCounter struct {
	loadgentest.Script
	slow     func(run int) bool
	runs     int
	position int
}

func (c *callCounter) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	if q.Samples[0].ID == 0 {
		c.runs++
	}
	c.position = 0
	return c.Script.IssueQuery(ctx, q, r)
}

func (c *callCounter) latency(loadgen.QuerySample) time.Duration {
	c.position++
	d := time.Duration(c.position) * 3 * time.Millisecond
	if c.slow != nil && c.slow(c.runs) {
		d += 100 * time.Millisecond
	}
	return d
}

func search(t *testing.T, slow func(run int) bool, start uint64, o loadgen.StreamSearch) (*loadgen.Streams, error) {
	t.Helper()
	clock := &loadgentest.Clock{}
	s := intervalSettings(30)
	s.MultiStreamSamplesPerQuery = start
	return loadgen.SearchStreams(loadgentest.WithClock(t.Context(), clock), streamsSUT(clock, slow),
		loadgentest.QSL{Total: 64}, s, loadgen.LogSettings{}, o)
}

// TestSearchStreams searches for the 16 samples of 3 ms that fit into 50 ms, from several start values.
func TestSearchStreams(t *testing.T) {
	for _, start := range []uint64{1, 4, 16, 17, 100} {
		f, err := search(t, nil, start, loadgen.StreamSearch{})
		if err != nil || f.Found != 16 || f.Result.Effective.SamplesPerQuery != 16 || f.Result.Verdict != loadgen.Valid {
			t.Errorf("from %d: %+v, %v", start, f, err)
		}
		for _, trial := range f.Trials {
			if trial.Met != (trial.Streams <= 16) {
				t.Errorf("from %d: %+v", start, trial)
			}
		}
	}
	if f, err := search(t, nil, 1, loadgen.StreamSearch{Most: 10}); err != nil || f.Found != 10 {
		t.Errorf("at most 10: %+v, %v", f, err)
	}
	if f, err := search(t, func(int) bool { return true }, 8, loadgen.StreamSearch{}); err != nil || f.Found != 0 ||
		f.Result.Verdict != loadgen.Invalid {
		t.Errorf("too slow for one: %+v, %v", f, err)
	}
}

// TestSearchStreamsConfirms repeats the run with the found number, as v0.5 requires, and lowers the number if a
// repetition fails.
func TestSearchStreamsConfirms(t *testing.T) {
	f, err := search(t, nil, 16, loadgen.StreamSearch{Runs: 5})
	if err != nil || f.Found != 16 || confirmations(f) != 5 {
		t.Errorf("%+v, %v", f, err)
	}
	runs := len(f.Trials) - 5
	f, err = search(t, func(run int) bool { return run == runs+3 }, 16, loadgen.StreamSearch{Runs: 5})
	if err != nil || f.Found != 15 || confirmations(f) != 3+5 || f.Result.Effective.SamplesPerQuery != 15 {
		t.Errorf("one repetition fails: %+v, %v", f, err)
	}
}

// Aborting hopeless runs early finds the same number with fewer queries.
func TestSearchStreamsAbortingEarly(t *testing.T) {
	queries := func(abort bool) (found, queries uint64) {
		s := intervalSettings(30)
		s.MultiStreamSamplesPerQuery = 8
		clock := &loadgentest.Clock{}
		sut := streamsSUT(clock, nil)
		f, err := loadgen.SearchStreams(loadgentest.WithClock(t.Context(), clock), sut, loadgentest.QSL{Total: 64}, s,
			loadgen.LogSettings{AbortEarly: abort}, loadgen.StreamSearch{})
		if err != nil {
			t.Fatal(err)
		}
		for _, trial := range f.Trials {
			queries += trial.Intervals.Counted
		}
		return f.Found, queries
	}
	found, all := queries(false)
	early, fewer := queries(true)
	if found != 16 || early != 16 || fewer >= all {
		t.Errorf("found %d with %d queries, aborting early %d with %d", found, all, early, fewer)
	}
}

func confirmations(f *loadgen.Streams) int {
	n := 0
	for _, trial := range f.Trials {
		if trial.Confirms {
			n++
		}
	}
	return n
}

func TestSearchStreamsRefuses(t *testing.T) {
	s := intervalSettings(30)
	s.MultiStreamArrivalInterval = 0
	if _, err := loadgen.SearchStreams(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 4}, s,
		loadgen.LogSettings{}, loadgen.StreamSearch{}); !errors.Is(err, loadgen.ErrBadSettings) {
		t.Errorf("without an interval: %v", err)
	}
	s = intervalSettings(30)
	s.MaxQueryCount = 20
	clock := &loadgentest.Clock{}
	f, err := loadgen.SearchStreams(loadgentest.WithClock(t.Context(), clock), streamsSUT(clock, nil),
		loadgentest.QSL{Total: 4}, s, loadgen.LogSettings{OutDir: t.TempDir()}, loadgen.StreamSearch{})
	if !errors.Is(err, loadgen.ErrBadSettings) || !strings.Contains(err.Error(), "min_query_count") ||
		len(f.Trials) != 1 || len(f.Trials[0].LogFiles) != 4 {
		t.Errorf("with too few queries: %v, %+v", err, f)
	}
}

// The run is reported as hopeless, and ended on request, exactly when one skipped interval too many occurs.
func TestSkippedIntervalsEndARunEarly(t *testing.T) {
	for name, c := range map[string]struct {
		dropped    bool
		percentile float64
		times      []float64 // in ms
		queries    uint64    // queries issued until the report; 0: no report
		says       string
	}{
		"hope": {false, 0.9, []float64{60, 60, 10}, 0, ""},
		"queries": {false, 0.9, []float64{60, 60, 10, 60, 10}, 5,
			"queries under way when the next was due: 3 already, and a run of 20 queries forgives 2"},
		"many skipped": {false, 0.9, []float64{10, 990, 10}, 0, ""},
		"dropped": {true, 0.9, []float64{10, 160, 10}, 3,
			"skipped intervals: 3 already, and a run of 20 queries forgives 2"},
		"dropped, hope": {true, 0.9, []float64{10, 110, 10}, 0, ""},
		"each": {false, 0.99, []float64{60}, 2,
			"queries under way when the next was due: 1 already, and a run of 20 queries forgives 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := intervalSettings(20)
			s.MultiStreamCountDropped, s.MultiStreamTargetLatencyPercentile = c.dropped, c.percentile
			clock := &loadgentest.Clock{}
			r := runOn(t, clock, queryTimes(clock, 4, c.times...), s, loadgen.LogSettings{AbortEarly: true})
			if c.queries == 0 {
				if r.Aborted != nil || r.QueryCount != 20 || r.Verdict != loadgen.Valid {
					t.Errorf("%d queries, %s, aborted %v", r.QueryCount, r.Verdict, r.Aborted)
				}
				return
			}
			if !errors.Is(r.Aborted, loadgen.ErrHopeless) || !strings.Contains(r.Aborted.Error(), c.says) ||
				r.QueryCount != c.queries {
				t.Errorf("%d queries, aborted %v; want %d and %q", r.QueryCount, r.Aborted, c.queries, c.says)
			}
			if r.PerformanceConstraintsMet || r.Verdict != loadgen.Invalid {
				t.Errorf("%s, limit met: %v", r.Verdict, r.PerformanceConstraintsMet)
			}
		})
	}
}

// A run that is longer than its minimum number of queries allows more late queries.
func TestSkippedIntervalsOfALongRun(t *testing.T) {
	s := intervalSettings(1)
	s.MultiStreamTargetLatencyPercentile, s.MinDuration = 0.9, 99*interval // 100 queries
	clock := &loadgentest.Clock{}
	late := make([]float64, 11)
	for i := range late {
		late[i] = 60
	}
	r := runOn(t, clock, queryTimes(clock, 4, late...), s, loadgen.LogSettings{AbortEarly: true})
	const want = "queries under way when the next was due: 11 already, and a run of 100 queries forgives 10"
	if r.Aborted == nil || !strings.Contains(r.Aborted.Error(), want) {
		t.Errorf("after %d queries: %v, want %q", r.QueryCount, r.Aborted, want)
	}
}
