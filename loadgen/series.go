package loadgen

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// testSeries is one timed series: its plan, its issued queries and its measurements. All times are nanoseconds since
// Start.
type testSeries struct {
	Accuracy bool
	Start    time.Time // wall clock, for the logs
	Pauses   []Pause

	// The generated queries.
	GeneratedQueries  uint64
	SamplesPerQuery   uint64
	GeneratedDuration int64 // end of the schedule: one past the last query

	// The issued queries: Queries <= GeneratedQueries, Samples = len(Done).
	Queries int
	// Scheduled and Issued contain one time per issued query. In SingleStream and MultiStream they are equal (and may be
	// the same slice). In Offline, Scheduled is 0. In Server, Delays may replace Issued.
	Scheduled, Issued []int64
	Delays            record.Delays
	// Numbers contains the issued queries' numbers among the generated ones, one sample each, if several issuing
	// goroutines ended at different places. It is nil if the first queries were issued.
	Numbers []uint32

	last int64 // result of lastCompletion
	// Done contains one completion time per sample, in issue order: sample i belongs to query i / SamplesPerQuery. A time
	// is negative if the test ended before the answer. If Answered is true, no time is negative.
	Done     []int64
	Answered bool
	// Tokens contains the number of tokens of each answered sample in token runs, otherwise nil. FirstToken contains the
	// time of the first token in token runs except Offline's, otherwise nil.
	Tokens     []uint32
	FirstToken []int64

	// index returns the data-set index of a generated sample. firstSample and firstQuery are the numbers of the series'
	// first sample and query in the whole test.
	index                   func(number int) SampleIndex
	firstSample, firstQuery uint64
}

// issueDelay returns the time between the scheduled and the actual issue of query q.
func (p *testSeries) issueDelay(q int) int64 {
	if p.Delays != nil {
		return p.Delays.At(q)
	}
	return p.Issued[q] - p.Scheduled[q]
}

// lastIssue returns the time at which the last query was issued, or 0 if there is none.
func (p *testSeries) lastIssue() int64 {
	if p.Queries == 0 {
		return 0
	}
	return p.Scheduled[p.Queries-1] + p.issueDelay(p.Queries-1)
}

// lastCompletion returns the last completion time, or 0 if there is none.
func (p *testSeries) lastCompletion() int64 {
	if p.last == 0 {
		p.last = latestTime(p.Done)
	}
	return p.last
}

// sampleNumber returns the position of sample i among the generated ones.
func (p *testSeries) sampleNumber(i int) uint64 {
	if p.Numbers != nil {
		return uint64(p.Numbers[i])
	}
	return uint64(i)
}
