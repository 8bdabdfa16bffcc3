package endpoints_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Records in any order make super-passes by their sending, which the detector reads as those of the client's events.
func TestGatheringMakesSuperPasses(t *testing.T) {
	const size, passes = 8, 8
	g := endpoints.NewPassGatherer(size, metrics.FigureRules{})
	for i := passes*size - 1; i >= 0; i-- {
		at := int64(i) * 20_000 * ms
		r := answer(i, at, at, at+200*ms, 20*ms, 11)
		g.Add(&r)
	}
	warm := answer(0, 0, 0, 1, 1, 2)
	warm.WarmUp = true
	g.Add(&warm)
	if g.Len() != passes*size {
		t.Fatalf("%d requests, want %d", g.Len(), passes*size)
	}
	all := g.Passes()
	if len(all) != passes {
		t.Fatalf("%d super-passes, want %d", len(all), passes)
	}
	for i, p := range all {
		first := int64(i*size) * 20_000 * ms
		if p.Issued != size || p.FirstIssue != first || p.LastIssue != first+(size-1)*20_000*ms || p.OutTokens != 10*size ||
			len(p.TPOT) != size || p.TTFT[0] != 200*ms || p.LastEvent <= p.LastIssue {
			t.Errorf("super-pass %d: %+v", i, p)
		}
		for _, tpot := range p.TPOT {
			if tpot != (200*ms+1000)/10.0 {
				t.Errorf("super-pass %d: TPOT %v", i, tpot)
			}
		}
	}
	block := steady.Detect(all, steady.Options{}).Block(passes*size, size, 600)
	if block.Status != steady.Windowable || block.Verdict != steady.SteadyState || block.Window.Samples != 7*size {
		t.Errorf("%+v", block)
	}
	failed := metrics.Request{Sent: 1 << 50, End: 1<<50 + 5, Status: "http_500",
		Usage: metrics.NoUsage(), Retokenized: metrics.Unknown}
	g.Add(&failed)
	last := g.Passes()[passes]
	if last.Issued != 1 || len(last.TPOT)+len(last.TTFT) != 0 || last.Latency[0] != 5 {
		t.Errorf("the request that makes a super-pass partial: %+v", last)
	}
}
