package objective

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Verdict is whether a point holds a term.
type Verdict struct {
	Term Term `json:"term"`
	Held bool `json:"held"`
	// Measured is in the unit of the term; null where it is infinite, or was not measured, which Why says.
	Measured *float64 `json:"measured"`
	// Why says why the term is not held where that is no matter of the measured value.
	Why string `json:"why,omitempty"`
	// Between are the bounds of an attainment, or of a percentile: what a longer measurement could have, with a certainty
	// of 95 %; null is infinite. Unclear says that the limit lies between them: more requests would tell.
	Between *[2]figure.Number `json:"between,omitempty"`
	Unclear bool              `json:"unclear,omitempty"`
}

// Judge gives a verdict on each term that a point can miss. The figures are made with the Percentiles and the limits,
// Each, of the objectives.
func (o Objectives) Judge(f *metrics.Figures) []Verdict {
	var all []Verdict
	for _, t := range o.Terms {
		if t.Stat != Each {
			all = append(all, t.judge(f))
		}
	}
	return all
}

// Held says whether all are.
func Held(verdicts []Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v Verdict) bool { return !v.Held })
}

// Unclear says whether more requests would tell whether one is held.
func Unclear(verdicts []Verdict) bool {
	return slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Unclear })
}

func (t Term) judge(f *metrics.Figures) Verdict {
	v := Verdict{Term: t}
	measured, why := t.measured(f)
	if why != "" {
		v.Why = why
		return v
	}
	if v.Held = t.Op.Holds(measured, t.Value); !math.IsInf(measured, 0) {
		v.Measured = &measured
	}
	if t.Metric == Attainment && f.Good != nil {
		low, high := metrics.Wilson(float64(*f.Good), f.Requests)
		v.bounded(low, high)
	}
	if t.p > 0 {
		if p, ok := f.Distribution(t.Metric).At(t.p); ok && p.Between != nil {
			v.bounded(p.Between.Low, p.Between.High)
		}
	}
	return v
}

// bounded notes between which values the measured one may be in a longer measurement.
func (v *Verdict) bounded(low, high float64) {
	v.Between = &[2]figure.Number{figure.Number(low), figure.Number(high)}
	v.Unclear = v.Term.Op.Holds(low, v.Term.Value) != v.Term.Op.Holds(high, v.Term.Value)
}

// measured is what the term is on; infinite where failures stand there. why says why it was not measured.
func (t Term) measured(f *metrics.Figures) (v float64, why string) {
	if ofRequests(t.Metric) {
		return t.statistic(f)
	}
	if f.Requests == 0 {
		return 0, "there was no request"
	}
	var from *float64
	switch t.Metric {
	case TokensPerSec:
		if from = f.TokensPerSec; f.OK > 0 && f.CountedBy[metrics.Uncounted] == f.OK {
			return 0, "no answer's tokens were counted"
		}
	case RequestsPerSec:
		from = f.RequestsPerSec
	case Goodput:
		from = f.Goodput
	case Attainment:
		from = f.Attainment
	case Failed:
		share := float64(f.FailedTotal()) / float64(f.Requests)
		from = &share
	}
	if from == nil {
		return 0, "it was not measured"
	}
	return *from, ""
}

// statistic is one of a distribution.
func (t Term) statistic(f *metrics.Figures) (v float64, why string) {
	d, failed := f.Distribution(t.Metric), f.FailedTotal() > 0 && t.Metric != metrics.Queue
	worst := math.Inf(1)
	if t.Metric == metrics.User {
		worst = 0
	}
	switch {
	case d.N == 0 && failed:
		return worst, ""
	case d.N == 0:
		return 0, "no request has one"
	case t.Stat == Mean:
		return d.Mean, ""
	case t.Stat == Max && failed && t.smaller():
		return worst, ""
	case t.Stat == Max:
		return d.Max, ""
	}
	p, ok := d.At(t.p)
	if !ok || failed && math.IsNaN(p.Failed) {
		return 0, "the percentile was not made with failed requests in it"
	}
	return p.Judged(), ""
}

// String is "misses p99 ttft < 500ms: 2.1 s".
func (v Verdict) String() string {
	text := "holds "
	if !v.Held {
		text = "misses "
	}
	text += v.Term.Text
	switch {
	case v.Why != "":
		return text + ": " + v.Why
	case v.Measured == nil:
		text += ": failed requests stand there"
	default:
		text += ": " + v.Term.format(*v.Measured)
	}
	if v.Unclear {
		text += fmt.Sprintf(", but with as few requests it could be from %s to %s", v.Term.format(float64(v.Between[0])),
			v.Term.format(float64(v.Between[1])))
	}
	return text
}

// format writes a value in the unit of the term.
func (t Term) format(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "failed"
	}
	switch t.Unit {
	case Nanoseconds:
		return figure.Seconds(time.Duration(v))
	case Share:
		return figure.Short(100*v) + " %"
	}
	return figure.Short(v) + " " + t.Unit
}
