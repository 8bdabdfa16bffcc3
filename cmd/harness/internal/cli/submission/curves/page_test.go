package curves

import (
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/results"
)

// TestCurvesPage: the page has a chart of each kind and a line of each point; names of a tree are text on it, and it
// loads nothing and runs nothing.
func TestCurvesPage(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	value := func(x float64) *float64 { return &x }
	curve := func(system string) results.Curve {
		c := results.Curve{System: system, Model: "model" + evil, CMax: 64, Bounds: map[string][2]int{
			"low_latency": {1, 8}, "low_concurrency": {9, 16}, "med_concurrency": {17, 16}}}
		for _, users := range []int{4, 16, 64} {
			n := float64(users)
			c.Points = append(c.Points, results.Point{Name: "r" + evil, Concurrency: users, Region: endpoints.LowLatency,
				SystemTPS: value(100 * n), TPSPerUser: value(100 / math.Sqrt(n)), TTFT: value(n), TPSPerKW: value(n),
				KW: value(2), Status: "windowable", Verdict: evil, Notes: []string{evil}})
		}
		c.Points = append(c.Points, results.Point{Name: "r1000", Concurrency: 1000, Offline: "dedicated",
			SystemTPS: value(7000)}, results.Point{Name: "r5", Concurrency: 5, Notes: []string{"no summary"}})
		c.Power = []power.Figure{{Name: "cpu" + evil, Value: 350, Unit: "W", Kind: "vendor_spec", Source: evil}}
		c.Points[0].Window = &results.Window{First: 1, Last: 5, Size: 8, Seconds: 650}
		return c
	}
	r := &results.Results{Organisation: evil, Submission: "sub", Rules: "endpoints-1.0",
		Curves: []results.Curve{curve("A" + evil), curve("B"), {System: "C", Model: "empty"}}}
	var b strings.Builder
	if err := writeCurves(&b, r, true); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script") || strings.Contains(text, "http:") || strings.Contains(text, "https:") {
		t.Error("the page runs or loads something")
	}
	for _, want := range []string{`id="model-1-tokens"`, `id="model-1-users"`, `id="model-1-ttft"`, `id="model-1-power"`,
		"Offline (dedicated), 7000 tokens/s", ">low</text>", "low latency 1 to 8, low 9 to 16.", "interpolated, not measured",
		`id="model-1-power-users"`, `id="model-1-user"`, "No point has figures.", "no summary",
		"power not known", "windowable, super-passes 1 to 5, 650.00 s", "Sources of the power of",
		"350.00 W", "prefers-color-scheme:dark", "B, 16 users: 1600.0 tokens/s"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(text, `data-label="Users"`); n != 10 {
		t.Errorf("%d lines of points, want 10", n)
	}
	if strings.Contains(text, ">medium</text>") {
		t.Error("a region without a concurrency is marked")
	}
}
