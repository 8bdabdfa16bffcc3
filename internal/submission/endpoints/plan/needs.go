package plan

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// Need contains the minimum requirements of a point.
type Need struct {
	Queries int // trajectories where the model is agentic
	// Time is what no server can do with less, accuracy run not counted: the window, and as much more as the passes are
	// that the detector crops. 0: the rules give a run of this kind no least time.
	Time time.Duration
	// MaxRate is the queries a second above which the passes end before the time does; 0: there is no least time.
	MaxRate float64
	// Concurrent is Queries over the concurrency: the run takes so many times the mean latency of an answer.
	Concurrent float64
}

// NeedOf is what a point of the plan needs. The point has at least one pass.
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

// countedPasses are those that are in the window, or of the whole run where there is no window.
func (p *Plan) countedPasses(q Point, rules *endpoints.Rules) int {
	if p.Windowed(q, rules) && q.Passes > croppedPasses {
		return q.Passes - croppedPasses
	}
	return q.Passes
}

// Windowed says whether the official figures of a point are those of a steady window.
func (p *Plan) Windowed(q Point, rules *endpoints.Rules) bool {
	return q.Offline != Dedicated && !p.Agentic(rules)
}

// Unit is what a point's runs are counted in.
func (p *Plan) Unit(rules *endpoints.Rules) string {
	if p.Agentic(rules) {
		return "trajectories"
	}
	return "queries"
}

// Total is what all points need: the sum of their times, and of their queries over their concurrencies.
func (p *Plan) Total(rules *endpoints.Rules) (least time.Duration, concurrent float64) {
	for _, q := range p.Points {
		n := p.NeedOf(q, rules)
		least += n.Time
		concurrent += n.Concurrent
	}
	return least, concurrent
}
