package plan

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// Need contains the minimum requirements of a point.
type Need struct {
	Queries int // trajectories if the model is agentic
	// Time is the minimum duration for every server without the accuracy run: the window plus the share of cropped passes.
	// 0: the rules define no minimum for this type of run.
	Time time.Duration
	// MaxRate is the rate in queries per second above which the passes end before Time has passed; 0: no minimum time.
	MaxRate float64
	// Concurrent is Queries divided by the concurrency. The run takes this many times the mean latency of an answer.
	Concurrent float64
}

// NeedOf returns the minimum requirements of a point with one or more passes.
func (p *Plan) NeedOf(q Point, rules *endpoints.Rules) Need {
	set := rules.PerformanceSets[p.Model]
	n := Need{Queries: q.Passes * set}
	n.Concurrent = float64(n.Queries) / float64(q.Concurrency)
	counted, window := p.countedPasses(q, rules), float64(q.WindowSeconds)
	if window == 0 {
		return n
	}
	seconds := window * float64(q.Passes) / float64(counted)
	n.Time = time.Duration(math.Ceil(seconds*1000)) * time.Millisecond
	n.MaxRate = float64(counted*set) / window
	return n
}

// countedPasses returns the number of passes in the window, or in the whole run if there is no window.
func (p *Plan) countedPasses(q Point, rules *endpoints.Rules) int {
	if p.Windowed(q, rules) && q.Passes > croppedPasses {
		return q.Passes - croppedPasses
	}
	return q.Passes
}

// Windowed reports whether the official figures of a point come from a steady window.
func (p *Plan) Windowed(q Point, rules *endpoints.Rules) bool {
	return q.Offline != Dedicated && !p.Agentic(rules)
}

// Unit returns the unit in which a point's runs are counted.
func (p *Plan) Unit(rules *endpoints.Rules) string {
	if p.Agentic(rules) {
		return "trajectories"
	}
	return "queries"
}

// Total returns the sum over all points of their minimum times, and of their queries divided by their concurrencies.
func (p *Plan) Total(rules *endpoints.Rules) (least time.Duration, concurrent float64) {
	for _, q := range p.Points {
		n := p.NeedOf(q, rules)
		least += n.Time
		concurrent += n.Concurrent
	}
	return least, concurrent
}
