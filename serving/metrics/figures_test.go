package metrics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// answer returns a request with its due and sending times and with token events of one id each.
func answer(due int64, tokens ...int64) metrics.Request {
	r := metrics.Request{Due: due, Sent: due, Status: metrics.OK, Usage: metrics.NoUsage(),
		Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
	for _, t := range tokens {
		r.Events.Add(metrics.StreamEvent{At: t, Kind: metrics.Content, Text: true, IDs: 1})
		r.End = t
	}
	return r
}

func failed(due, end int64) metrics.Request {
	r := answer(due)
	r.Status, r.End = metrics.Refused, end
	return r
}

// random returns n requests of 1 to most tokens.
func random(n, most int, seed uint64) []metrics.Request {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := make([]metrics.Request, 0, n)
	for i := range n {
		at := int64(i)*1e6 + rng.Int64N(1e6)
		r := answer(at)
		at += 5e7 + rng.Int64N(1e7)
		for range 1 + rng.IntN(most) {
			r.Events.Add(metrics.StreamEvent{At: at, Kind: metrics.Content, Text: true, IDs: 1})
			r.End = at
			at += 4e6 + rng.Int64N(2e6)
		}
		r.Index, r.Server = i, i%2
		all = append(all, r)
	}
	return all
}

// TestGapsOfMany compares percentiles of gaps, which are computed without a sorted copy, with those of a sorted copy.
func TestGapsOfMany(t *testing.T) {
	all := random(3000, 40, 7)
	var gaps []float64
	for i := range all {
		last := int64(-1)
		for e := range all[i].Events.All() {
			if last >= 0 {
				gaps = append(gaps, float64(e.At-last))
			}
			last = e.At
		}
	}
	slices.Sort(gaps)
	d := metrics.ComputeFigures(all, metrics.FigureRules{}).Gap
	if d.N != len(gaps) || d.Min != gaps[0] || d.Max != gaps[len(gaps)-1] {
		t.Fatalf("%d gaps from %v to %v, want %d from %v to %v", d.N, d.Min, d.Max, len(gaps), gaps[0], gaps[len(gaps)-1])
	}
	for _, p := range d.Percentiles {
		if want := gaps[int(float64(len(gaps))*p.P)]; p.Value != want {
			t.Errorf("%s: %v, want %v", metrics.PercentileName(p.P), p.Value, want)
		}
	}
}

// TestByServer checks that requests, tokens and rates of the servers add up to those of all.
func TestByServer(t *testing.T) {
	all := random(200, 10, 3)
	all = append(all, failed(1e6, 2e6))
	f := metrics.ComputeFigures(all, metrics.FigureRules{Servers: []string{"a", "b"},
		Limits: metrics.RequestLimits{metrics.TTFT: 55e6}})
	if len(f.Servers) != 2 {
		t.Fatalf("%d servers, want 2", len(f.Servers))
	}
	a, b := f.Servers[0], f.Servers[1]
	if a.Name != "a" || a.Requests != 101 || b.Requests != 100 || a.Failed[metrics.Refused] != 1 {
		t.Errorf("%s has %d requests, %s %d, failed %v", a.Name, a.Requests, b.Name, b.Requests, a.Failed)
	}
	if a.WindowNS != f.WindowNS || *a.Good+*b.Good != *f.Good {
		t.Errorf("windows %d of %d, good %d + %d of %d", a.WindowNS, f.WindowNS, *a.Good, *b.Good, *f.Good)
	}
	for _, of := range []func(*metrics.Figures) float64{
		func(f *metrics.Figures) float64 { return *f.TokensPerSec },
		func(f *metrics.Figures) float64 { return *f.RequestsPerSec },
		func(f *metrics.Figures) float64 { return *f.Goodput },
		func(f *metrics.Figures) float64 { return f.ConcurrencyMean },
	} {
		if sum := of(&a.Figures) + of(&b.Figures); math.Abs(sum-of(f)) > 1e-9*of(f) {
			t.Errorf("servers add up to %v, want %v", sum, of(f))
		}
	}
	if one := metrics.ComputeFigures(all, metrics.FigureRules{Servers: []string{"a"}}); one.Servers != nil {
		t.Errorf("figures by server with one server: %v", one.Servers)
	}
}

// TestSlowestUser checks that the bad tail of tokens per second is the low one, where failures count.
func TestSlowestUser(t *testing.T) {
	var all []metrics.Request
	for i := range int64(98) {
		all = append(all, answer(i, 100+i, 1000100+i+i*100))
	}
	p, ok := metrics.ComputeFigures(all, metrics.FigureRules{}).User.PercentileAt(0.01)
	if !ok || p.Value > 1e9/1e6 || !math.IsNaN(p.Failed) || p.JudgedValue() != p.Value {
		t.Errorf("p1 of tokens/s/user is %+v, %v", p, ok)
	}
	all = append(all, failed(5, 6), failed(5, 6))
	p, _ = metrics.ComputeFigures(all, metrics.FigureRules{}).User.PercentileAt(0.01)
	if p.Failed != 0 || p.JudgedValue() != 0 {
		t.Errorf("p1 with two failures of 100 is %+v, want 0", p)
	}
	p, _ = metrics.ComputeFigures(all,
		metrics.FigureRules{Percentiles: map[string][]float64{metrics.User: {0.02}}}).User.PercentileAt(0.02)
	if want, _ := metrics.ComputeFigures(all[:98],
		metrics.FigureRules{}).User.PercentileAt(0.5); p.Failed >= want.Value || p.Failed == 0 {
		t.Errorf("p2 with two failures of 100 is %+v", p)
	}
}

// TestPercentilesAsked checks that an objective's percentile is computed in addition to the usual ones, including
// failures.
func TestPercentilesAsked(t *testing.T) {
	all := append(random(50, 5, 1), failed(0, 1))
	f := metrics.ComputeFigures(all, metrics.FigureRules{Percentiles: map[string][]float64{metrics.TTFO: {0.25, 0.99}}})
	p, ok := f.TTFO.PercentileAt(0.25)
	if !ok || p.JudgedValue() < f.TTFO.Min || p.JudgedValue() > f.TTFO.Max {
		t.Errorf("p25 is %+v, %v", p, ok)
	}
	if p, _ := f.TTFO.PercentileAt(0.99); !math.IsInf(p.JudgedValue(), 1) {
		t.Errorf("p99 of 51 with a failure is %v, want infinite", p.JudgedValue())
	}
	if p, ok := f.TTFTSent.PercentileAt(0.99); !ok || !math.IsNaN(p.Failed) {
		t.Errorf("p99 of ttft_sent is %+v, %v: nobody judges it", p, ok)
	}
}

// TestEarlyStopping checks that the p90 of 70 latencies has an estimate and their p99 has none, that failures count as
// infinite, and that closed loops have no estimates.
func TestEarlyStopping(t *testing.T) {
	var all []metrics.Request
	for i := range int64(70) {
		all = append(all, answer(0, 1000+i, 2000+i))
	}
	f := metrics.ComputeFigures(all, metrics.FigureRules{OpenLoop: true})
	e := f.EarlyStopping[metrics.TTFT]["p90"]
	if e.NS == nil || *e.NS < 1063 || e.Processed != 70 || e.Needed > 70 {
		t.Errorf("p90 of 70 is estimated as %+v", e)
	}
	if e := f.EarlyStopping[metrics.TTFT]["p99"]; e.NS != nil || e.Needed < 100 {
		t.Errorf("p99 of 70 is estimated as %+v", e)
	}
	for range 5 {
		all = append(all, failed(0, 1))
	}
	if e := metrics.ComputeFigures(all,
		metrics.FigureRules{OpenLoop: true}).EarlyStopping[metrics.E2E]["p90"]; e.NS != nil {
		t.Errorf("p90 with 5 failures of 75 is estimated as %d, want infinite", *e.NS)
	}
	if closed := metrics.ComputeFigures(all, metrics.FigureRules{}); closed.EarlyStopping != nil {
		t.Errorf("a closed loop has estimates: %v", closed.EarlyStopping)
	}
}

func TestLengths(t *testing.T) {
	r := answer(0, 1, 2, 3)
	r.Usage.Prompt, r.AskedIn, r.AskedOut = 102, 100, 3
	got := metrics.ComputeFigures([]metrics.Request{r, answer(0, 1)}, metrics.FigureRules{}).Lengths
	if got == nil || *got.In != (metrics.MeanLength{N: 1, Asked: 100, Got: 102}) ||
		*got.Out != (metrics.MeanLength{N: 1, Asked: 3, Got: 3, Exact: 1}) {
		t.Fatalf("lengths %+v", got)
	}
	if share, tell := got.In.OffBy(); share != 0.02 || !tell {
		t.Errorf("102 for 100 is off by %v, told %v", share, tell)
	}
	if share, tell := got.Out.OffBy(); share != 0 || tell {
		t.Errorf("3 for 3 is off by %v, told %v", share, tell)
	}
}

// TestNothing checks the figures of a point without requests or with only a warm-up.
func TestNothing(t *testing.T) {
	warm := answer(0, 1, 2)
	warm.WarmUp = true
	for _, all := range [][]metrics.Request{nil, {warm}} {
		f := metrics.ComputeFigures(all, metrics.FigureRules{Limits: metrics.RequestLimits{metrics.TTFT: 1},
			LoadGen: "Server", OpenLoop: true})
		if f.Requests != 0 || f.TTFT.N != 0 || f.Attainment != nil || f.RequestsPerSec != nil || f.LoadGen != nil {
			t.Errorf("%+v", f)
		}
	}
}

func TestPercentileNames(t *testing.T) {
	for name, want := range map[string]float64{"p50": 0.5, "p99.9": 0.999, "p1": 0.01, "p99.99": 0.9999, "p7": 0.07} {
		if p, ok := metrics.ParsePercentile(name); !ok || p != want || metrics.PercentileName(p) != name {
			t.Errorf("%s is %v, %v, and its name %s", name, p, ok, metrics.PercentileName(p))
		}
	}
	for _, name := range []string{"", "p", "99", "p0", "p100", "p-1", "p1e1", "pNaN", "p50_linear", "p1.2.3"} {
		if p, ok := metrics.ParsePercentile(name); ok {
			t.Errorf("%q is read as %v", name, p)
		}
	}
	for _, c := range []struct {
		n      int
		p      float64
		enough bool
	}{{100, 0.99, true}, {99, 0.99, false}, {1000, 0.999, true}, {999, 0.999, false}, {100, 0.01, true}, {2, 0.5, true}} {
		if got := metrics.EnoughValues(c.n, c.p); got != c.enough {
			t.Errorf("%d are enough for %v: %v", c.n, c.p, got)
		}
	}
}

// BenchmarkFigures computes the figures of a million requests with 16 tokens each on average.
func BenchmarkFigures(b *testing.B) {
	all := random(1e6, 31, 1)
	b.ReportAllocs()
	for b.Loop() {
		metrics.ComputeFigures(all, metrics.FigureRules{Limits: metrics.RequestLimits{metrics.TTFT: 55e6}, OpenLoop: true})
	}
}
