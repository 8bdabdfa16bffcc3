package metric

import (
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/report"
)

// result is the name of the headline, whatever it is in the scenario.
const result = "result"

// accuracy begins the names of what a scorer measured.
const accuracy = "accuracy."

// rates are the names of throughputs, by those of result.json.
var rates = map[string]string{
	"completed samples per second":             "samples_per_second",
	"samples per second":                       "samples_per_second",
	"queries per second with LoadGen overhead": "queries_per_second",
	"tokens per second":                        "tokens_per_second",
}

func (l *list) performance(r report.Run, p report.Performance) {
	if p.Peak != nil && p.Peak.Found {
		l.figure("target_qps", Higher, true, p.Peak.TargetQPS)
	}
	l.figure(result, direction(p.Metric.Unit), p.Peak == nil, p.Metric)
	for _, f := range p.Figures {
		if name := rates[f.Name]; name != "" {
			l.figure(name, Higher, f.Name != p.Metric.Name, f)
		}
	}
	l.latency("", "latency", &p.Latency)
	l.latency("query.", "latency of a query", p.Query)
	l.tokens(p.Tokens)
	l.latency("issue_delay.", "issue delay", p.Issue)
	l.count("overlatency", "queries over the latency limit", p.Over)
	l.count("queries", "queries", p.Queries)
	l.count("samples", "samples", p.Samples)
	l.add(Metric{Name: "duration", Title: "duration", Unit: "s", Value: r.Duration})
}

// direction is that of a headline: a latency falls, all else rises.
func direction(unit string) Better {
	if unit == Millis {
		return Lower
	}
	return Higher
}

func (l *list) figure(name string, better Better, main bool, f report.Figure) {
	l.add(Metric{Name: name, Title: f.Name, Unit: f.Unit, Better: better, Value: float64(f.Value), Main: main})
}

func (l *list) count(name, title string, n uint64) {
	l.add(Metric{Name: name, Title: title, Value: float64(n)})
}

// latency lists what is known of a distribution of latencies; where there were none, nothing is.
func (l *list) latency(prefix, what string, d *report.Latency) {
	if d == nil || d.Count == 0 {
		return
	}
	ms := func(name, title string, ns int64, main bool) {
		l.add(Metric{Name: prefix + name, Title: title + " " + what, Unit: Millis, Better: Lower, Main: main,
			Value: figure.Millis(time.Duration(ns))})
	}
	own := prefix != "issue_delay." // the SUT's, and not the harness's
	ms("mean", "mean", d.Mean, own)
	for _, p := range d.Percentiles {
		at := strconv.FormatFloat(100*p.P, 'g', 6, 64)
		ms("p"+at, at+"th percentile", p.NS, own && (p.P == 0.5 || p.P == 0.9 || p.P == 0.99 || p.P == 0.999))
	}
	ms("min", "least", d.Min, false)
	ms("max", "largest", d.Max, false)
}

func (l *list) tokens(t *report.Tokens) {
	if t == nil {
		return
	}
	l.count("tokens", "tokens", t.Count)
	if t.TTFT != nil {
		l.latency("ttft.", "TTFT", &t.TTFT.Latency)
	}
	if t.TPOT != nil {
		l.latency("tpot.", "TPOT", &t.TPOT.Latency)
	}
}

func (l *list) power(p *report.Power) {
	if p == nil {
		return
	}
	for _, f := range []struct {
		name   string
		better Better
		figure *report.Figure
	}{
		{"power.average", Lower, p.Average}, {"power.energy", Lower, p.Energy}, {"power.efficiency", Higher, p.Efficiency},
	} {
		if f.figure != nil {
			l.figure(f.name, f.better, true, *f.figure)
		}
	}
}

func (l *list) accuracy(a report.Accuracy) {
	for _, m := range a.Metrics {
		l.add(Metric{Name: accuracy + m.Name, Title: m.Name, Unit: m.Unit, Better: accuracyDirection(m.Better),
			Value: float64(m.Value), Main: true})
	}
}

// accuracyDirection is that of a scorer's figure, as the model's manifest says.
func accuracyDirection(b sdk.Better) Better {
	switch b {
	case sdk.HigherBetter:
		return Higher
	case sdk.LowerBetter:
		return Lower
	}
	return Neither
}
