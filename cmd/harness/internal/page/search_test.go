package page

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// TestSearches: a search for the highest rate, and one for the most streams, have their trials as a curve.
func TestSearches(t *testing.T) {
	peak := record.Run{Model: "m", Scenario: "Server", Mode: "findpeak", Status: record.Complete,
		Performance: &record.Performance{Peak: &record.Peak{Found: true, Trials: []record.Trial{
			{TargetQPS: 100, Met: true, Latency: record.Percentile{P: .99, NS: 5e6}},
			{TargetQPS: 200, Latency: record.Percentile{P: .99, NS: 50e6}},
		}}}}
	streams := record.Run{Model: "m", Scenario: "MultiStream", Mode: "findpeak", Status: record.Complete,
		Performance: &record.Performance{Streams: &record.Streams{Found: 8, Trials: []record.StreamTrial{
			{SamplesPerQuery: 16, Intervals: record.Intervals{IntervalNS: 40e6}, Latency: record.Percentile{P: .99, NS: 60e6}},
			{SamplesPerQuery: 8, Met: true, Intervals: record.Intervals{IntervalNS: 40e6},
				Latency: record.Percentile{P: .99, NS: 30e6}},
		}}}}
	for want, r := range map[string]record.Run{
		"5.00 ms to 50.0 ms, for queries/s that are due of 100 to 200": peak,
		"limit 40.0 ms": streams,
	} {
		dir := t.TempDir()
		set := results.Set{Runs: []results.FoundRun{{Run: r, Out: dir, File: dir + "/result.json"}}}
		if text := html(t, set); !strings.Contains(text, `id="run-1-search"`) || !strings.Contains(text, want) {
			t.Errorf("%s: no curve that says %q", r.Scenario, want)
		}
	}
}
