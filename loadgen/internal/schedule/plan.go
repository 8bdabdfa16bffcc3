package schedule

import (
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"
)

// Scenario determines how queries arrive. Its values are equal to those of package loadgen.
type Scenario int

// Scenarios differ in the due times of queries and in their numbers of samples.
const (
	SingleStream Scenario = iota
	MultiStream
	Server
	Offline
)

// MaxSamples is the maximum number of samples of a series, because response ids are 32 bits wide.
const MaxSamples = math.MaxUint32

// maxSpan is the longest schedule, in nanoseconds: 146 years.
const maxSpan = math.MaxInt64 / 2

// ErrTooMuch is wrapped by the errors of Generate and Count.
var ErrTooMuch = errors.New("the settings ask for too much")

// Params describes the traffic of one series.
type Params struct {
	Scenario Scenario
	Accuracy bool // each sample of the set once; counts and durations are ignored
	Set      Set
	// SamplesPerQuery is the number of samples of MultiStream's queries. In Offline it is that of the single query of a
	// performance series.
	SamplesPerQuery uint64
	QPS             float64 // queries per second, above 0
	MinDuration     int64   // ns; 0 in Offline
	MinQueries      uint64
	SampleSeed      uint64
	ScheduleSeed    uint64
	LoadedOnce      bool   // issue as many samples as are loaded, regardless of MinDuration and MinQueries
	IssueUnique     bool   // issue each loaded sample once
	IssueSame       bool   // always issue the same loaded sample
	SameIndex       uint64 // position of that sample in the set
	EqualIssue      bool   // issue all loaded samples equally often
	Older           bool   // draw integers like C++ libraries before GCC 11
}

// Plan contains the queries of one series.
type Plan struct {
	Queries         int
	SamplesPerQuery int
	// Samples contains the data-set indices of all queries, in the order of the queries. If it is shorter than the queries
	// (in Offline), it repeats.
	Samples   []uint32
	Scheduled []int64 // only Server: due times of the queries, in ns from the start
	End       int64   // in ns: due time of the query after the last one
}

// Total returns the number of samples of all queries.
func (p *Plan) Total() int { return p.Queries * p.SamplesPerQuery }

// Sample returns the data-set index of sample i.
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
	plan := Plan{SamplesPerQuery: int(p.samplesPerQuery())}
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

// Count returns the number of queries that Generate plans; for Server with a minimum duration, it returns an estimate.
// It allocates nothing and reads only the size of the set. It fails if Generate would need more than MaxSamples samples
// or a schedule of more than a century.
func Count(p Params) (uint64, error) {
	least := p.minCount()
	if need := p.queriesFor(p.targetNanos()); need > float64(least) {
		if need > MaxSamples {
			return 0, fmt.Errorf("%w: about %.3g queries, at most %d are possible: "+
				"shorten the minimum duration or lower the expected rate", ErrTooMuch, need, uint64(MaxSamples))
		}
		least = p.extendedCount(least, uint64(need))
	}
	if spq := p.samplesPerQuery(); least > MaxSamples || spq > MaxSamples || least*spq > MaxSamples {
		return 0, fmt.Errorf("%w: %d queries of %d samples, at most %d samples are possible",
			ErrTooMuch, least, spq, uint64(MaxSamples))
	}
	if span := float64(least) / p.QPS * 1e9; !(span < maxSpan) {
		return 0, fmt.Errorf("%w: %d queries at %v per second take %.3g years",
			ErrTooMuch, least, p.QPS, span/(365*86400e9))
	}
	return least, nil
}

// targetNanos returns the minimum length of the schedule in ns.
func (p *Params) targetNanos() int64 {
	switch {
	case p.Accuracy || p.LoadedOnce || p.Scenario == Offline:
		return 0
	case p.Scenario == Server:
		return p.MinDuration
	}
	return 2 * p.MinDuration
}

// minCount returns the minimum number of queries. If all samples are issued equally often, the queries are whole passes
// over the set.
func (p *Params) minCount() uint64 {
	n := p.MinQueries
	if p.Accuracy || p.LoadedOnce {
		n = p.loadedLength() / p.samplesPerQuery()
	}
	if p.EqualIssue && !p.Accuracy && p.Scenario != Offline {
		n = roundUp(n, p.loadedLength())
	}
	return n
}

// extendedCount returns the number of queries if need queries fill the schedule and least queries are required.
func (p *Params) extendedCount(least, need uint64) uint64 {
	if p.EqualIssue {
		return least + roundUp(need-least, p.loadedLength())
	}
	return need
}

// loadedLength returns the length of the loaded list with padding. The padding lets a query begin at any sample.
func (p *Params) loadedLength() uint64 { return uint64(p.Set.Size) + p.queryWidth() - 1 }

// queryWidth returns the number of consecutive entries of the loaded list that a query takes.
func (p *Params) queryWidth() uint64 {
	if p.Scenario == MultiStream {
		return p.SamplesPerQuery
	}
	return 1
}

// samplesPerQuery returns the number of samples of each query.
func (p *Params) samplesPerQuery() uint64 {
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

// queryPeriod returns the time between queries that do not arrive at random, in ns.
func (p *Params) queryPeriod() int64 { return int64(1 / p.QPS * 1e9) }

// queriesFor returns the number of queries until one is due at or after span. For Server it is a mean.
func (p *Params) queriesFor(span int64) float64 {
	if span <= 0 {
		return 0
	}
	if p.Scenario == Server {
		// A gap is an exponential variable of mean m ns, truncated to a whole number. Its mean is 1/(exp(1/m)-1).
		return 1 + float64(span)*math.Expm1(p.QPS/1e9)
	}
	return 1 + math.Ceil(float64(span)/float64(p.queryPeriod()))
}

// Arrivals returns only the due times of the Server series that Generate plans for p, in ns from its start.
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

// poissonTimes draws the due times of a Server series and of the query after the last one.
//
// All times exist before the clock starts. A slow SUT therefore shows late answers and does not get queries at a lower
// rate. Each gap is truncated to whole nanoseconds, like in the official program.
func poissonTimes(p Params) (due []int64, end int64, err error) {
	span, least := p.targetNanos(), p.minCount()
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
