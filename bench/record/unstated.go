package record

import (
	"encoding/json"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// LoadGen's logs do not state everything that a record has: those before v2.0 have no number of queries, nor how many
// were over the limit, and none has the number of tokens. Such a count is 0 beside latencies that were measured; JSON
// has null there, and texts leave it out.

// Stated says whether it is known how many queries there were.
func (p *Performance) Stated() bool { return p.Queries > 0 || !p.Latency.Measured() }

// Measured says whether there is a latency at all.
func (l *Latency) Measured() bool { return l.Count > 0 || l.Max != 0 || l.highestPercentile() != 0 }

// Ranged says whether the least, the greatest and the mean latency are known: a log before v2.0 has the percentiles of
// MultiStream's queries alone.
func (l *Latency) Ranged() bool { return l.Count > 0 || l.Max != 0 }

// highestPercentile is the highest one.
func (l *Latency) highestPercentile() int64 {
	if len(l.Percentiles) == 0 {
		return 0
	}
	return l.Percentiles[len(l.Percentiles)-1].NS
}

// MarshalJSON writes null for what is not known.
func (p Performance) MarshalJSON() ([]byte, error) {
	type plain Performance
	if p.Stated() {
		return json.Marshal(plain(p))
	}
	return json.Marshal(struct {
		plain
		Queries *uint64          `json:"queries"`
		Samples *uint64          `json:"samples"`
		Over    *uint64          `json:"overlatency_count"`
		Latency unstatedLatency  `json:"latency"`
		Query   *unstatedLatency `json:"query_latency,omitempty"`
	}{plain: plain(p), Latency: *p.Latency.unstatedOf(), Query: p.Query.unstatedOf()})
}

// unstatedLatency is the JSON of a Latency of a number of samples that is not known.
type unstatedLatency struct {
	Count       *int         `json:"count"`
	Min         *int64       `json:"min_ns"`
	Max         *int64       `json:"max_ns"`
	Mean        *int64       `json:"mean_ns"`
	Percentiles []Percentile `json:"percentiles"`
}

func (l *Latency) unstatedOf() *unstatedLatency {
	if l == nil {
		return nil
	}
	out := &unstatedLatency{Percentiles: l.Percentiles}
	if l.Ranged() {
		out.Min, out.Max, out.Mean = &l.Min, &l.Max, &l.Mean
	}
	return out
}

// volumeText is how much was done: queries, and samples where a query has several; "" where it is not known.
func (r Run) volumeText() string {
	p := r.Performance
	switch {
	case !p.Stated():
		return ""
	case p.Queries == 1:
		return figure.Count(p.Samples) + " samples"
	case p.Samples != p.Queries:
		return fmt.Sprintf("%s queries of %d samples", figure.Count(p.Queries), p.Samples/max(1, p.Queries))
	}
	return figure.Count(p.Queries) + " queries"
}
