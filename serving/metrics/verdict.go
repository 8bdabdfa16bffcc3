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
	Share       = "share" // 0 to 1; shown in percent
)

// Statistics of terms other than percentiles.
const (
	Each  = "each"  // each single request
	Mean  = "mean"  // mean over answered requests
	Max   = "max"   // maximum; failures count as infinite
	Whole = "value" // the metric is a single number of a point
)

// Metrics that are a single number of a point. The others are distributions.
const (
	TokensPerSec   = "tokens_per_s"
	RequestsPerSec = "requests_per_s"
	Goodput        = "goodput"
	Attainment     = "attainment"
	Failed         = "failed"
)

// Term is one objective of package objective by which a point was judged.
type Term struct {
	Text   string              `json:"text"` // as the user wrote it
	Stat   string              `json:"stat"` // "p99", Each, Mean, Max, Whole
	Metric string              `json:"metric"`
	Op     inequality.Operator `json:"op"`
	Value  float64             `json:"value"`
	Unit   string              `json:"unit"`

	// Fraction is the exact fraction of a percentile, in (0, 1); 0 for other statistics. Records do not contain it.
	Fraction float64 `json:"-"`
}

// IsThroughput reports whether the metric rises with the load as long as the server keeps up.
func (t Term) IsThroughput() bool {
	return t.Metric == TokensPerSec || t.Metric == RequestsPerSec || t.Metric == Goodput
}

// TermVerdict states whether a point meets a term.
type TermVerdict struct {
	Term Term `json:"term"`
	Held bool `json:"held"`
	// Measured is in the unit of the term; null if it is infinite or was not measured (see Why).
	Measured *float64 `json:"measured"`
	// Why explains why the term is not met, if the measured value is not the reason.
	Why string `json:"why,omitempty"`
	// Between contains the bounds of an attainment or a percentile in a longer measurement, with 95 % confidence; null
	// means infinite. Unclear reports whether the limit lies between them, so that more requests are needed.
	Between *[2]figure.Number `json:"between,omitempty"`
	Unclear bool              `json:"unclear,omitempty"`
}

// String returns the verdict as text: "misses p99 ttft < 500ms: 2.1 s".
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

// formatValue returns a value with the unit of the term.
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
