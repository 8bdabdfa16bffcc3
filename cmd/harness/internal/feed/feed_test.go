package feed_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// kept is a sink that keeps what it is told.
type kept struct {
	mu     sync.Mutex
	events []feed.Event
}

func (k *kept) Event(e feed.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
}

func (k *kept) names() (names []string) {
	for _, e := range k.events {
		names = append(names, e.Name)
	}
	return slices.Compact(names)
}

// planned is a run of a scenario for some milliseconds.
func planned(scenario loadgen.Scenario) bench.PlannedRun {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.Mode = scenario, loadgen.PerformanceOnly
	s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = 0, 700, 1e5
	s.ServerTargetLatency = time.Hour
	return bench.PlannedRun{
		Model: "m", Scenario: scenario, Mode: s.Mode, Settings: settings.Settings{Settings: mlconf.Settings{TestSettings: s}},
		Dir: "m/" + scenario.String(),
	}
}

func run(t *testing.T, f *feed.Feed, r bench.PlannedRun, sut loadgen.SUT) *loadgen.Result {
	t.Helper()
	progress := &loadgen.Progress{}
	f.Open(record.Run{Workload: &record.Workload{}})
	stop := f.WatchTest(r, progress)
	result, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 64}, r.Settings.TestSettings,
		loadgen.LogSettings{Progress: progress})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
	rec := record.Run{Scenario: r.Scenario.String()}
	rec.FromResult(result)
	f.Done(rec)
	return result
}

func TestFeedTellsOfRunsInOrder(t *testing.T) {
	k := &kept{}
	f := feed.New(time.Now, k)
	f.Begin(record.Harness{}, []string{"harness", "run"})
	runs := []bench.PlannedRun{planned(loadgen.Server), planned(loadgen.MultiStream), planned(loadgen.Offline)}
	f.Plan("out", record.Identity{}, runs)
	for i, r := range runs {
		result := run(t, f, r, &loadgentest.NullSUT{})
		last := k.last(feed.NameProgress)
		if last.Run != i+1 || last.Progress.Done != result.SampleCount || last.Progress.Read != result.SampleCount ||
			last.Progress.Queries != result.QueryCount || last.Progress.Phase != "done" {
			t.Errorf("last progress of %v: %+v, the result has %d samples", r.Scenario, last.Progress, result.SampleCount)
		}
		wantNear(t, r.Scenario.String(), last.Progress.Latency.P99, result.Latency.Percentiles[4].Latency)
		var n int64
		for _, b := range k.last(feed.NameDistribution).Distribution.Buckets {
			n += b[2]
		}
		if n != int64(result.SampleCount) {
			t.Errorf("%v: the distribution has %d samples of %d", r.Scenario, n, result.SampleCount)
		}
	}
	f.End(feed.EndData{Outcome: "VALID"})
	want := []string{"begin", "plan"}
	for range runs {
		want = append(want, "open", "start", "progress", "distribution", "result")
	}
	if got := k.names(); !slices.Equal(got, append(want, "end")) {
		t.Errorf("events %v, want %v", got, want)
	}
	if _, err := json.Marshal(k.events); err != nil {
		t.Error(err)
	}
}

func (k *kept) last(name string) feed.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range slices.Backward(k.events) {
		if e.Name == name {
			return e
		}
	}
	return feed.Event{}
}

// wantNear wants a percentile of the feed's buckets.
func wantNear(t *testing.T, what string, got int64, want time.Duration) {
	t.Helper()
	if got < int64(want) || float64(got) > float64(want)*(1+1.0/64)+1 {
		t.Errorf("%s: 99th percentile %d ns, the result's is %d", what, got, want)
	}
}

// TestNamesOfRuns: no two runs of a command have one name, whatever they are made for.
func TestNamesOfRuns(t *testing.T) {
	k := &kept{}
	f := feed.New(time.Now, k)
	server := planned(loadgen.Server)
	for _, of := range []record.Identity{{}, {Point: []string{"batch=4"}}, {}} {
		f.Plan("out", of, []bench.PlannedRun{server})
	}
	var got []string
	for _, e := range k.events {
		got = append(got, e.Plan.Runs[0].Name)
	}
	name := server.Model + " Server performance"
	if want := []string{name, name + " batch=4", name + " (run 3)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRunsAreKept(t *testing.T) {
	f := feed.New(time.Now)
	f.Plan("out", record.Identity{}, []bench.PlannedRun{planned(loadgen.Server), planned(loadgen.SingleStream)})
	result := run(t, f, planned(loadgen.Server), &loadgentest.NullSUT{})
	seen := 0
	f.EachRun(func(r *feed.Run) {
		seen++
		if r.Issued != result.SampleCount || r.Outstanding() != 0 || r.IssueDelay.N != result.QueryCount ||
			r.QueryLatency.N != 0 || r.Result == nil || r.Workload == nil || r.LimitNS != int64(time.Hour) {
			t.Errorf("%+v", r)
		}
	})
	if seen != 1 {
		t.Errorf("%d runs have begun, want 1", seen)
	}
}

// TestTokensAndLimits: every sample is above both limits.
func TestTokensAndLimits(t *testing.T) {
	r := planned(loadgen.Server)
	s := &r.Settings.TestSettings
	s.UseTokenLatencies, s.ServerTTFTLatency, s.ServerTPOTLatency = true, 1, 1
	k := &kept{}
	f := feed.New(time.Now, k)
	f.Plan("out", record.Identity{}, []bench.PlannedRun{r})
	result := run(t, f, r, &loadgentest.NullSUT{Tokens: 5})
	p := k.last(feed.NameProgress).Progress
	if p.Tokens != 5*result.SampleCount || p.OverLimit != result.SampleCount || p.TTFT.Count != result.SampleCount {
		t.Errorf("%+v; want %d samples above the limit", p, result.SampleCount)
	}
	wantNear(t, "TTFT", p.TTFT.P99, result.Tokens.TTFT.Latency.Percentiles[4].Latency)
}

// TestAnotherDriversCounts: the official LoadGen says how much it did, and no more.
func TestAnotherDriversCounts(t *testing.T) {
	k := &kept{}
	f := feed.New(time.Now, k)
	r := planned(loadgen.Server)
	f.Plan("out", record.Identity{}, []bench.PlannedRun{r})
	p := &loadgen.Progress{}
	stop := f.WatchTest(r, p)
	p.Follow(func() loadgen.ProgressSnapshot {
		return loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Queries: 5, Issued: 5, Done: 3}
	})
	stop()
	if got := k.last(feed.NameProgress).Progress; got.Issued != 5 || got.Outstanding != 2 || got.Latency != nil {
		t.Errorf("%+v", got)
	}
}

// TestWithoutAPlan: what is told out of order harms nobody.
func TestWithoutAPlan(t *testing.T) {
	f := feed.New(time.Now, &kept{})
	run(t, f, planned(loadgen.SingleStream), &loadgentest.NullSUT{})
	f.EachRun(func(r *feed.Run) { t.Errorf("%+v", r) })
}
