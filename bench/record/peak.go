package record

import (
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// Peak is the result of a search for the highest target_qps of Server.
type Peak struct {
	// Found reports whether a rate met the latency limit. TargetQPS is the highest such rate or, without one, the rate
	// that was tried first.
	Found     bool    `json:"found"`
	TargetQPS Figure  `json:"target_qps"`
	Trials    []Trial `json:"trials"`
}

// Trial is one run of the search.
type Trial struct {
	TargetQPS float64    `json:"target_qps"`
	Met       bool       `json:"met"` // the run met the latency limit
	Latency   Percentile `json:"target_percentile"`
}

func peakOf(res *loadgen.Result) *Peak {
	if res.Effective.Mode != loadgen.FindPeakPerformance {
		return nil
	}
	p := &Peak{TargetQPS: figureOf(metric.TargetQPS, res.Effective.TargetQPS), Trials: []Trial{}}
	for _, t := range res.Trials {
		p.Found = p.Found || t.Met
		p.Trials = append(p.Trials, Trial{t.TargetQPS, t.Met, Percentile{t.Latency.P, int64(t.Latency.Latency)}})
	}
	return p
}

// headlineText returns the rate that was found, with remarks.
func (p *Peak) headlineText() (value string, remarks []string) {
	runs := figure.Plural(len(p.Trials), "run")
	if !p.Found {
		return "none found", []string{"target_qps " + p.TargetQPS.String() + " does not meet the limit", runs}
	}
	return p.TargetQPS.String(), []string{"highest target_qps that meets the limit", runs}
}

// Intervals is the result of MultiStream at a fixed arrival interval.
type Intervals struct {
	IntervalNS int64  `json:"interval_ns"`      // time between arrivals, which is also a query's latency limit
	Skipped    uint64 `json:"skipped"`          // number of skipped intervals
	Overtime   uint64 `json:"overtime"`         // number of counted queries over the limit
	Allowed    uint64 `json:"allowed_overtime"` // maximum number of queries over the limit
	Counted    uint64 `json:"counted_queries"`
}

func intervalsOf(v *loadgen.Intervals) *Intervals {
	if v == nil {
		return nil
	}
	return &Intervals{
		IntervalNS: int64(v.Interval), Skipped: v.Skipped, Overtime: v.Overtime, Allowed: v.Allowed, Counted: v.Counted,
	}
}
