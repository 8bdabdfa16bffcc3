package loadgen

import (
	"fmt"
	"time"
)

// Recording contains the measurements of a test's performance series: one slot per issued sample, in the order of
// issue. It may be read, by one goroutine or several, until the function of LogSettings.Record that got it returns.
type Recording struct{ p *testSeries }

// Slot contains the measured times of a sample. Times are nanoseconds since the series' start.
type Slot struct {
	Sample, Query uint64 // numbers in the whole test, from 0; that of the sample is its response id
	Index         SampleIndex
	Scheduled     int64 // when the query was due; 0 in Offline
	Issued        int64
	FirstToken    int64 // 0 where none is recorded
	Done          int64 // -1 where the test ended before the answer
	Tokens        uint32
}

// Start is the series' start; zero where it never began.
func (r Recording) Start() time.Time { return r.p.Start }

// Samples is the number of issued samples.
func (r Recording) Samples() int { return len(r.p.Done) }

// SamplesPerQuery is the size of a query: slots i with the same i/SamplesPerQuery are of the same one.
func (r Recording) SamplesPerQuery() int { return int(r.p.SamplesPerQuery) }

// HasTokens reports whether tokens were counted.
func (r Recording) HasTokens() bool { return r.p.Tokens != nil }

// HasFirstTokens reports whether the times of first tokens were recorded.
func (r Recording) HasFirstTokens() bool { return r.p.FirstToken != nil }

// Slot is the i-th slot, counted from 0 to Samples()-1.
func (r Recording) Slot(i int) Slot {
	p := r.p
	q, number := i/int(p.SamplesPerQuery), p.sampleNumber(i)
	s := Slot{
		Sample: p.firstSample + number, Query: p.firstQuery + number/p.SamplesPerQuery, Scheduled: p.Scheduled[q],
		Issued: p.Scheduled[q] + p.issueDelay(q), Done: p.Done[i],
	}
	if p.index != nil {
		s.Index = p.index(int(number))
	}
	if p.Tokens != nil {
		s.Tokens = p.Tokens[i]
	}
	if p.FirstToken != nil {
		s.FirstToken = p.FirstToken[i]
	}
	return s
}

// handRecording hands the performance series, if one began, to who asked for it.
func (t *testRun) handRecording(p *testSeries) error {
	if t.l.Record == nil || p == nil || len(p.Done) == 0 {
		return nil
	}
	if err := t.l.Record(Recording{p}, t.l.OutDir); err != nil {
		return fmt.Errorf("%w: recording the series: %w", ErrLogs, err)
	}
	return nil
}
