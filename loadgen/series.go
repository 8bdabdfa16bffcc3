package loadgen

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// testSeries is one run through the clock: what was planned, issued and measured. All times are nanoseconds since
// Start.
type testSeries struct {
	Accuracy bool
	Start    time.Time // wall clock, for the logs
	Pauses   []Pause

	// What was generated.
	GeneratedQueries  uint64
	SamplesPerQuery   uint64
	GeneratedDuration int64 // the schedule's end, one past the last query

	// What was issued: Queries <= GeneratedQueries, Samples = len(Done).
	Queries int
	// Scheduled and Issued hold one time per issued query. In SingleStream and MultiStream both are equal (and may be
	// one slice); in Offline Scheduled is 0; in Server Delays may take the place of Issued.
	Scheduled, Issued []int64
	Delays            record.Delays
	// Numbers are the issued queries' numbers among the generated ones, one sample each, where several issuing
	// goroutines ended at different places; nil where the first queries were issued.
	Numbers []uint32

	last int64 // what end found
	// Done holds one completion time per sample, in issue order: sample i belongs to query i / SamplesPerQuery. It is
	// negative where the test ended before the answer; Answered says that this is known to be nowhere so.
	Done     []int64
	Answered bool
	// Tokens holds the number of tokens of each answered sample, in token runs; FirstToken the time of the first, in
	// token runs but Offline's. Both are nil elsewhere.
	Tokens     []uint32
	FirstToken []int64

	// index is the data set's index of a generated sample; firstSample and firstQuery are the numbers of the series' first
	// ones in the whole test.
	index                   func(number int) SampleIndex
	firstSample, firstQuery uint64
}

// issueDelay is how much later than scheduled query q was issued.
func (p *testSeries) issueDelay(q int) int64 {
	if p.Delays != nil {
		return p.Delays.At(q)
	}
	return p.Issued[q] - p.Scheduled[q]
}

// lastIssue is when the last query was issued, 0 where there is none.
func (p *testSeries) lastIssue() int64 {
	if p.Queries == 0 {
		return 0
	}
	return p.Scheduled[p.Queries-1] + p.issueDelay(p.Queries-1)
}

// lastCompletion is the last completion time, 0 where there is none.
func (p *testSeries) lastCompletion() int64 {
	if p.last == 0 {
		p.last = latestTime(p.Done)
	}
	return p.last
}

// sampleNumber is the position of sample i among the generated ones.
func (p *testSeries) sampleNumber(i int) uint64 {
	if p.Numbers != nil {
		return uint64(p.Numbers[i])
	}
	return uint64(i)
}
