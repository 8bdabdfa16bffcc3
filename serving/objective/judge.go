package objective

import (
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// JudgeFigures returns a verdict on each term that a point can miss. Compute the figures with the objectives'
// Percentiles and request limits (Each).
func (o Objectives) JudgeFigures(f *metrics.Figures) []Verdict {
	var all []Verdict
	for _, t := range o.Terms {
		if t.Stat != Each {
			all = append(all, judgeTerm(t, f))
		}
	}
	return all
}

// AllHeld reports whether all verdicts are met.
func AllHeld(verdicts []Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v Verdict) bool { return !v.Held })
}

// AnyUnclear reports whether any verdict needs more requests to become clear.
func AnyUnclear(verdicts []Verdict) bool {
	return slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Unclear })
}

func judgeTerm(t Term, f *metrics.Figures) Verdict {
	v := Verdict{Term: t}
	measured, why := measureTerm(t, f)
	if why != "" {
		v.Why = why
		return v
	}
	if v.Held = t.Op.Holds(measured, t.Value); !math.IsInf(measured, 0) {
		v.Measured = &measured
	}
	if t.Metric == Attainment && f.Good != nil {
		low, high := metrics.WilsonInterval(float64(*f.Good), f.Requests)
		setBounds(&v, low, high)
	}
	if t.Fraction > 0 {
		if p, ok := f.Distribution(t.Metric).PercentileAt(t.Fraction); ok && p.Between != nil {
			setBounds(&v, p.Between.Low, p.Between.High)
		}
	}
	return v
}

// setBounds sets the bounds of the measured value in a longer measurement.
func setBounds(v *Verdict, low, high float64) {
	v.Between = &[2]figure.Number{figure.Number(low), figure.Number(high)}
	v.Unclear = v.Term.Op.Holds(low, v.Term.Value) != v.Term.Op.Holds(high, v.Term.Value)
}

// measureTerm returns the value of the term's statistic, or infinity if it falls on failures. why explains why it was
// not measured.
func measureTerm(t Term, f *metrics.Figures) (v float64, why string) {
	if isPerRequest(t.Metric) {
		return measureStatistic(t, f)
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

// measureStatistic returns a statistic of a distribution.
func measureStatistic(t Term, f *metrics.Figures) (v float64, why string) {
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
	case t.Stat == Max && failed && smallerIsBetter(&t):
		return worst, ""
	case t.Stat == Max:
		return d.Max, ""
	}
	p, ok := d.PercentileAt(t.Fraction)
	if !ok || failed && math.IsNaN(p.Failed) {
		return 0, "the percentile was not made with failed requests in it"
	}
	return p.JudgedValue(), ""
}
