package metrics

import (
	"fmt"
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/inequality"
)

// Units of the limits of terms.
const (
	Nanoseconds = "ns"
	TokensPerS  = "tokens/s"
	RequestsPer = "requests/s"
	Share       = "share" // from 0 to 1; written in percent
)

// Statistics of terms that are no percentile.
const (
	Each  = "each"  // of each request
	Mean  = "mean"  // of answered requests
	Max   = "max"   // failures count as infinite
	Whole = "value" // the metric is one number of a point
)

// Metrics that are one number of a point; the others are distributions of measure.
const (
	TokensPerSec   = "tokens_per_s"
	RequestsPerSec = "requests_per_s"
	Goodput        = "goodput"
	Attainment     = "attainment"
	Failed         = "failed"
)

// Term is one objective that a point was held to, of package objective.
type Term struct {
	Text   string              `json:"text"` // as it was given
	Stat   string              `json:"stat"` // "p99", Each, Mean, Max, Whole
	Metric string              `json:"metric"`
	Op     inequality.Operator `json:"op"`
	Value  float64             `json:"value"`
	Unit   string              `json:"unit"`

	// Fraction is that of a percentile, above 0 and below 1, as it was parsed; else 0. Records do not have it.
	Fraction float64 `json:"-"`
}

// IsThroughput says that the metric is one that rises with the load, as long as the server keeps up.
func (t Term) IsThroughput() bool {
	return t.Metric == TokensPerSec || t.Metric == RequestsPerSec || t.Metric == Goodput
}

// TermVerdict is whether a point holds a term.
type TermVerdict struct {
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

// String is "misses p99 ttft < 500ms: 2.1 s".
func (v TermVerdict) String() string {
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
		text += ": " + v.Term.formatValue(*v.Measured)
	}
	if v.Unclear {
		text += fmt.Sprintf(", but with as few requests it could be from %s to %s", v.Term.formatValue(float64(v.Between[0])),
			v.Term.formatValue(float64(v.Between[1])))
	}
	return text
}

// formatValue writes a value in the unit of the term.
func (t Term) formatValue(v float64) string {
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
