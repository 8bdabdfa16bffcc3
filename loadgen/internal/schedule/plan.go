package schedule

import (
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"
)

// Scenario says how queries arrive; the values are those of package loadgen.
type Scenario int

// Scenarios differ in when a query is due, and in how many samples it has.
const (
	SingleStream Scenario = iota
	MultiStream
	Server
	Offline
)

// MaxSamples is how many samples one series can hold: response ids are 32 bits wide.
const MaxSamples = math.MaxUint32

// maxSpan is the longest schedule, in nanoseconds: 146 years.
const maxSpan = math.MaxInt64 / 2

// ErrTooMuch is wrapped by the errors of Generate and Count.
var ErrTooMuch = errors.New("the settings ask for too much")

// Params say what one series asks for.
type Params struct {
	Scenario Scenario
	Accuracy bool // every sample of the set once; counts and durations do not matter
	Set      Set
	// SamplesPerQuery is MultiStream's; in Offline the samples of the one query of a performance series.
	SamplesPerQuery uint64
	QPS             float64 // queries per second, above 0
	MinDuration     int64   // ns: 0 in Offline
	MinQueries      uint64
	SampleSeed      uint64
	ScheduleSeed    uint64
	IssueUnique     bool   // each loaded sample once
	IssueSame       bool   // the same loaded sample always
	SameIndex       uint64 // its position in the set
	EqualIssue      bool   // every loaded sample equally often
	Older           bool   // integers are drawn as by C++ libraries before GCC 11
}

// Plan is the traffic of one series.
type Plan struct {
	Queries         int
	SamplesPerQuery int
	// Samples are the data-set indices of all queries, one after the other. Where they are fewer than the queries hold
	// (in Offline), they repeat.
	Samples   []uint32
	Scheduled []int64 // Server: when each query is due, in ns from the start
	End       int64   // ns: when the query after the last would be due
}

// Total is the number of samples of all queries.
func (p *Plan) Total() int { return p.Queries * p.SamplesPerQuery }

// Sample is the data-set index of sample i.
func (p *Plan) Sample(i int) uint32 {
	if i >= len(p.Samples) {
		i %= len(p.Samples)
	}
	return p.Samples[i]
}

// Generate draws the plan.
func Generate(p Params) (Plan, error) {
	n, err := Count(p)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{SamplesPerQuery: int(p.perQuery())}
	if p.Scenario == Server {
		plan.Scheduled, plan.End, err = poissonTimes(p)
		plan.Queries = len(plan.Scheduled)
	} else {
		plan.Queries, plan.End = int(n), int64(n)*p.queryPeriod()
	}
	if err != nil {
		return Plan{}, err
	}
	plan.Samples = newOrder(p).drawSamples(plan.Queries)
	return plan, nil
}

// Count is how many queries Generate plans; for Server with a minimum duration it is an estimate. It allocates nothing,
// looks at nothing of the set but its size, and fails where Generate would need more than MaxSamples samples or a
// schedule of more than a century.
func Count(p Params) (uint64, error) {
	least := p.atLeast()
	if need := p.queriesFor(p.targetNanos()); need > float64(least) {
		if need > MaxSamples {
			return 0, fmt.Errorf("%w: about %.3g queries, at most %d are possible: "+
				"shorten the minimum duration or lower the expected rate", ErrTooMuch, need, uint64(MaxSamples))
		}
		least = p.extendedCount(least, uint64(need))
	}
	if spq := p.perQuery(); least > MaxSamples || spq > MaxSamples || least*spq > MaxSamples {
		return 0, fmt.Errorf("%w: %d queries of %d samples, at most %d samples are possible",
			ErrTooMuch, least, spq, uint64(MaxSamples))
	}
	if span := float64(least) / p.QPS * 1e9; !(span < maxSpan) {
		return 0, fmt.Errorf("%w: %d queries at %v per second take %.3g years",
			ErrTooMuch, least, p.QPS, span/(365*86400e9))
	}
	return least, nil
}

// targetNanos is the schedule's least length in ns.
func (p *Params) targetNanos() int64 {
	switch {
	case p.Accuracy || p.IssueUnique || p.Scenario == Offline:
		return 0
	case p.Scenario == Server:
		return p.MinDuration
	}
	return 2 * p.MinDuration
}

// atLeast is the least number of queries: whole passes over the set where every sample is asked equally often.
func (p *Params) atLeast() uint64 {
	n := p.MinQueries
	if p.Accuracy || p.IssueUnique {
		n = p.loadedLength() / p.perQuery()
	}
	if p.EqualIssue && !p.Accuracy && p.Scenario != Offline {
		n = roundUp(n, p.loadedLength())
	}
	return n
}

// extendedCount is the number of queries when need of them fill the schedule and least are due anyway.
func (p *Params) extendedCount(least, need uint64) uint64 {
	if p.EqualIssue {
		return least + roundUp(need-least, p.loadedLength())
	}
	return need
}

// loadedLength is the length of the loaded list, with padding: enough for a query to begin with any sample.
func (p *Params) loadedLength() uint64 { return uint64(p.Set.Size) + p.queryWidth() - 1 }

// queryWidth is how many entries of the loaded list a query takes in a row.
func (p *Params) queryWidth() uint64 {
	if p.Scenario == MultiStream {
		return p.SamplesPerQuery
	}
	return 1
}

// perQuery is the number of samples of each query.
func (p *Params) perQuery() uint64 {
	switch {
	case p.Scenario != Offline:
		return p.queryWidth()
	case p.Accuracy:
		return uint64(p.Set.Size)
	case p.EqualIssue:
		return roundUp(p.SamplesPerQuery, p.loadedLength())
	}
	return p.SamplesPerQuery
}

// queryPeriod is the time between queries that do not arrive at random, in ns.
func (p *Params) queryPeriod() int64 { return int64(1 / p.QPS * 1e9) }

// queriesFor is how many queries it takes until one is due at or after span; for Server on average.
func (p *Params) queriesFor(span int64) float64 {
	if span <= 0 {
		return 0
	}
	if p.Scenario == Server {
		// A gap is an exponential variable of mean m ns, truncated to a whole number: on average 1/(exp(1/m)-1).
		return 1 + float64(span)*math.Expm1(p.QPS/1e9)
	}
	return 1 + math.Ceil(float64(span)/float64(p.queryPeriod()))
}

// Arrivals are the due times of a Server series alone, in ns from its start: those that Generate plans for p.
func Arrivals(p Params) ([]int64, error) {
	p.Scenario = Server
	if _, err := Count(p); err != nil {
		return nil, err
	}
	due, _, err := poissonTimes(p)
	return due, err
}

func roundUp(n, unit uint64) uint64 {
	if r := n % unit; r != 0 && n <= math.MaxUint64-unit {
		return n + unit - r
	}
	return n
}

// poissonTimes draws the due times of a Server series, and that of the query after the last.
//
// All times exist before the clock starts: a SUT that falls behind is measured late, never asked more slowly. The
// gaps are truncated to whole nanoseconds one by one, as the official program does.
func poissonTimes(p Params) (due []int64, end int64, err error) {
	span, least := p.targetNanos(), p.atLeast()
	mean := p.queriesFor(span)
	due = make([]int64, 0, max(least, min(uint64(mean+6*math.Sqrt(mean)), MaxSamples)))
	gaps := mt19937.New(p.ScheduleSeed)
	var last int64
	for last < span || uint64(len(due)) < least {
		if uint64(len(due)) >= MaxSamples || end > maxSpan {
			return nil, 0, fmt.Errorf("%w: the schedule does not end within %d queries", ErrTooMuch, len(due))
		}
		due = append(due, end)
		last = end
		end += int64(-math.Log(1-gaps.Float64()) / p.QPS * 1e9)
		if p.EqualIssue && !p.Accuracy && uint64(len(due)) >= least && last < span {
			least += p.loadedLength()
		}
	}
	return due, end, nil
}
