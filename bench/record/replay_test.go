package record

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// TestReplay checks that a replay holds if every turn was sent and answered, and that its result is the mean latency.
func TestReplay(t *testing.T) {
	answered := func(n int) (all []metrics.Request) {
		for i := range n {
			all = append(all, metrics.Request{Sent: int64(i), End: int64(i) + int64(i+1)*1e6, Status: metrics.OK})
		}
		return all
	}
	whole := &Serving{}
	whole.FromReplay(answered(100), 100, 0)
	score := sdk.Score{Metrics: []sdk.Metric{{Name: "inline_score", Value: 0.5}}, Notes: []string{"a note"}}
	whole.Replay.FromScore(score, "ab")
	if !*whole.Holds || len(whole.Flags) > 0 || *whole.Replay.Latency != 50.5e6 || whole.Replay.Unsent != 0 {
		t.Errorf("%+v", whole.Replay)
	}
	r := Run{Model: "m", Scenario: "SingleStream", Mode: ModeServing, Took: "5.05 s", Serving: whole}
	value, remarks := r.headlineText()
	if value != "50.500 ms" || !strings.Contains(strings.Join(remarks, ", "), "100 turns in 5.05 s, inline_score 0.5") {
		t.Errorf("%q, %q", value, remarks)
	}
	whole.addFacts(func(name, value string) {
		if strings.Contains(value, "seed") {
			t.Errorf("%s: %s, and nothing is drawn", name, value)
		}
	})
	text := strings.Join(whole.noteLines(), "\n")
	for _, want := range []string{
		"p90 of the latency, estimated as LoadGen does: ",
		"p99 of the latency, estimated as LoadGen does: none, which takes 662 turns", "a note",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	cut := &Serving{}
	cut.FromReplay(append(answered(3), metrics.Request{Sent: 5, End: 9, Status: metrics.Timeout},
		metrics.Request{Status: metrics.Cancelled}), 10, 0)
	got := cut.Replay
	if *cut.Holds || got.Issued != 5 || got.Answered != 3 || got.Failed != 1 || got.TimedOut != 1 || got.Unsent != 5 ||
		len(cut.Flags) != 1 {
		t.Errorf("%+v, %q", got, cut.Flags)
	}
	short := &Serving{}
	short.FromReplay([]metrics.Request{{Sent: 5, End: 9, Status: metrics.OK}}, 1, 5)
	if want := "it took 0s, and min_duration wants 5ns"; *short.Holds || len(short.Flags) != 1 || short.Flags[0] != want {
		t.Errorf("%q, want %q", short.Flags, want)
	}
	none := &Serving{}
	none.FromReplay(nil, 2, 0)
	if _, ok := none.headlineResult(Run{}); ok || none.Replay.Latency != nil {
		t.Errorf("%+v", none.Replay)
	}
}
