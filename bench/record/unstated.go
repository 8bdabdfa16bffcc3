package record

import (
	"encoding/json"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// LoadGen's logs do not contain all facts of a record. Logs before v2.0 contain neither the number of queries nor the
// number of those over the limit, and no log contains the number of tokens. Such a count is 0 although latencies were
// measured; JSON contains null for it, and texts omit it.

// Stated reports whether the number of queries is known.
func (p *Performance) Stated() bool { return p.Queries > 0 || !p.Latency.Measured() }

// Measured reports whether there are latencies.
func (l *Latency) Measured() bool { return l.Count > 0 || l.Max != 0 || l.highestPercentile() != 0 }

// Ranged reports whether the minimum, maximum and mean latency are known. A log before v2.0 contains only percentiles
// of MultiStream's queries.
func (l *Latency) Ranged() bool { return l.Count > 0 || l.Max != 0 }

// highestPercentile returns the time of the highest percentile.
func (l *Latency) highestPercentile() int64 {
	if len(l.Percentiles) == 0 {
		return 0
	}
	return l.Percentiles[len(l.Percentiles)-1].NS
}

// MarshalJSON writes null for unknown values.
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

// unstatedLatency is the JSON of a Latency whose number of samples may be unknown.
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

// volumeText returns the number of queries, and of samples if queries have several; "": unknown.
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
