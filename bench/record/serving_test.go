package record

import (
	"math"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// served returns a run with a server: nine answers of 11 tokens, with 10 ms to the first token and 1 ms for each
// further one, and a refused request.
func served() Run {
	var all []metrics.Request
	for i := range int64(10) {
		r := metrics.Request{
			Index: int(i), Due: i * 1e8, Sent: i*1e8 + 1e6, End: i*1e8 + 21e6, Status: metrics.OK, Usage: metrics.NoUsage(),
			Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown,
		}
		if r.Usage.Prompt = 8; i == 9 {
			r.Status = metrics.Refused
		} else {
			for k := range int64(11) {
				r.Events.Add(metrics.StreamEvent{At: r.Due + 10e6 + k*1e6, Kind: metrics.Content, Text: true, IDs: 1})
			}
		}
		all = append(all, r)
	}
	run := Run{Model: "m", Mode: ModeServing, Serving: &Serving{
		Figures: metrics.ComputeFigures(all, metrics.FigureRules{Limits: metrics.RequestLimits{metrics.TTFT: 1e9}}),
	}}
	run.Finish(nil)
	return run
}

func TestServingMetrics(t *testing.T) {
	found := served().Metrics()
	for name, want := range map[string]float64{
		"ttft.p99": 10, "ttft_sent.p50": 9, "tpot.p50": 1, "e2e.max": 20, "gap.mean": 1, "stall.p99": 1, "queue.p99": 1,
		"user": 1000, "attainment": 90, "failed": 10, "requests": 10, "concurrency_peak": 1,
	} {
		got, ok := metric.Find(found, name)
		if !ok || math.Abs(got.Value-want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v", name, got.Value, ok, want)
		}
	}
	seen := map[string]bool{}
	for _, m := range found {
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
	}
	for _, i := range metric.ServingFigures() {
		asked := i.Name == metric.TokensPerGPU.Name || i.Name == metric.MillionTokenCost.Name
		if !asked && i.Name != metric.CachedTokens.Name && !seen[i.Name] {
			t.Errorf("%s is missing", i.Name)
		}
	}
}

// Without objectives, the results of a server are reported but not judged.
func TestServingVerdict(t *testing.T) {
	r := served()
	if r.Verdict != "measured" || r.ExitCode != 0 || !r.Good() {
		t.Errorf("%s, %d", r.Verdict, r.ExitCode)
	}
	r.Serving.Holds = new(bool)
	if r.Finish(nil); r.Verdict != "MISSES" || r.ExitCode != 3 || r.Good() {
		t.Errorf("%s, %d", r.Verdict, r.ExitCode)
	}
	*r.Serving.Holds = true
	if r.Finish(nil); r.Verdict != "HOLDS" || r.ExitCode != 0 {
		t.Errorf("%s, %d", r.Verdict, r.ExitCode)
	}
}
