package plan

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// PointNeeds contains the minimum requirements of a point.
type PointNeeds struct {
	Queries int // trajectories if the model is agentic
	// MinTime is the minimum duration for every server without the accuracy run: the window plus the share of cropped
	// passes. 0: the rules define no minimum for this type of run.
	MinTime time.Duration
	// MaxRate is the rate in queries per second above which the passes end before Time has passed; 0: no minimum time.
	MaxRate float64
	// LatencyMultiple is Queries divided by the concurrency. The run takes this many times the mean latency of an answer.
	LatencyMultiple float64
}

// NeedsOf returns the minimum requirements of a point with one or more passes.
func (p *Plan) NeedsOf(q Point, rules *endpoints.Rules) PointNeeds {
	set := rules.PerformanceSets[p.Model]
	n := PointNeeds{Queries: q.Passes * set}
	n.LatencyMultiple = float64(n.Queries) / float64(q.Concurrency)
	counted, window := p.countedPasses(q, rules), float64(q.WindowSeconds)
	if window == 0 {
		return n
	}
	seconds := window * float64(q.Passes) / float64(counted)
	n.MinTime = time.Duration(math.Ceil(seconds*1000)) * time.Millisecond
	n.MaxRate = float64(counted*set) / window
	return n
}

// countedPasses returns the number of passes in the window, or in the whole run if there is no window.
func (p *Plan) countedPasses(q Point, rules *endpoints.Rules) int {
	if p.HasWindow(q, rules) && q.Passes > croppedPasses {
		return q.Passes - croppedPasses
	}
	return q.Passes
}

// HasWindow reports whether the official figures of a point come from a steady window.
func (p *Plan) HasWindow(q Point, rules *endpoints.Rules) bool {
	return q.Offline != Dedicated && !p.IsAgentic(rules)
}

// Unit returns the unit in which a point's runs are counted.
func (p *Plan) Unit(rules *endpoints.Rules) string {
	if p.IsAgentic(rules) {
		return "trajectories"
	}
	return "queries"
}

// TotalNeeds returns the sum over all points of their minimum times, and of their queries divided by their
// concurrencies.
func (p *Plan) TotalNeeds(rules *endpoints.Rules) (least time.Duration, concurrent float64) {
	for _, q := range p.Points {
		n := p.NeedsOf(q, rules)
		least += n.MinTime
		concurrent += n.LatencyMultiple
	}
	return least, concurrent
}
