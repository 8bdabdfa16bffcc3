package plot

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// answers are requests of a server at which long prompts wait longer; their prompts have at least so many tokens, and
// at most so many more.
func answers(n, least, more int) (all []metrics.Request) {
	for i := range int64(n) {
		r := metrics.Request{Due: i * 20e6, Status: metrics.OK, Usage: metrics.NoUsage(),
			Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
		r.Sent, r.Usage.Prompt = r.Due+1000, int64(least)+i*7919%int64(more+1)
		at := r.Due + 20e6 + r.Usage.Prompt*1e5
		for k := range 20 + i%9 {
			r.Events.Add(metrics.StreamEvent{At: at + k*5e6, Kind: metrics.Content, Text: true, IDs: 1})
			r.End = at + k*5e6
		}
		all = append(all, r)
	}
	return all
}

// TestServed: a server's point has its charts, those over time on one axis; one that tells nothing, and has one length
// of prompts, has fewer.
func TestServed(t *testing.T) {
	f := series.FromRequests(answers(400, 100, 900), metrics.FigureRules{}, time.Time{})
	told := func(title, unit string, scale float64) series.CollectedSeries {
		t := series.CollectedSeries{Name: title, Title: title, Unit: unit}
		for k := range int64(13) {
			t.T, t.V = append(t.T, (k-1)*1e9), append(t.V, scale*float64(1+k%4))
		}
		return t
	}
	f.Collected = []series.CollectedSeries{
		told("running at the server", "requests", 4), told("waiting at the server", "requests", 1),
		told("KV cache in use", "%", 20), told("of answers", "tokens/s", 400), told("waiting", "ns", 1e3),
		told("to the first token", "ns", 1e7), told("package-0", "W", 80), told("preemptions", "preemptions/s", 1),
		{Name: "late", Title: "of later", Unit: "late", T: []int64{99e9, 100e9}, V: []float64{1, 2}},
	}
	facts := Facts{TTFTLimit: 100e6, TPOTLimit: 9e9}
	want := "ttft tpot under-way tokens told-shares told-tokens-s told-times told-power told-preemptions-s " +
		"ttft-distribution tpot-distribution ttft-length lengths"
	var ids []string
	for _, c := range Served(f, facts) {
		check(t, "served", c)
		ids = append(ids, c.ID)
		if c.X.Of == Elapsed {
			s := c
			l := &chartLayout{Chart: s}
			l.spanAxes()
			if l.x.low != 0 || l.x.high != float64(f.Duration) {
				t.Errorf("%s: time goes from %g to %g, want %d", c.ID, l.x.low, l.x.high, f.Duration)
			}
		}
		if c.ID == "told-shares" && c.Title != "KV cache in use over time" {
			t.Errorf("the chart of one number is called %q", c.Title)
		}
		if c.ID == "under-way" && (len(c.Lines) != 3 || !strings.Contains(c.Alt, "waiting at the server from 1")) {
			t.Errorf("%d lines: %s", len(c.Lines), c.Alt)
		}
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("charts %s, want %s", got, want)
	}
	ids = nil
	for _, c := range Served(series.FromRequests(answers(40, 64, 0), metrics.FigureRules{}, time.Time{}), facts) {
		check(t, "silent", c)
		ids = append(ids, c.ID)
	}
	want = "ttft tpot under-way tokens ttft-distribution tpot-distribution lengths"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("charts %s, want %s", got, want)
	}
	if all := Served(series.FromRequests(nil, metrics.FigureRules{}, time.Time{}), facts); len(all) != 0 {
		t.Errorf("%d charts of nothing", len(all))
	}
}

// TestWithin: a line is cut where the measurement begins and ends.
func TestWithin(t *testing.T) {
	l := cutLine(series.CollectedSeries{T: []int64{-10, 10, 30}, V: []float64{0, 20, 40}}, 20)
	if !slices.Equal(l.X, []float64{0, 10, 20}) || !slices.Equal(l.Y, []float64{10, 20, 30}) {
		t.Errorf("%v, %v", l.X, l.Y)
	}
	if l := cutLine(series.CollectedSeries{T: []int64{-10, 30}, V: []float64{0, 40}}, 20); !slices.Equal(l.Y,
		[]float64{10, 30}) {
		t.Errorf("%v, %v", l.X, l.Y)
	}
}
