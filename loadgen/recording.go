package loadgen

import (
	"fmt"
	"time"
)

// Recording contains the measurements of a test's performance series: one slot per issued sample, in the order of
// issue. Several goroutines may read it until the function LogSettings.Record that received it returns.
type Recording struct{ p *testSeries }

// Slot contains the measured times of a sample. Times are nanoseconds since the series' start.
type Slot struct {
	Sample, Query uint64 // numbers in the whole test, from 0; the sample's number is its response id
	Index         SampleIndex
	Scheduled     int64 // due time of the query; 0 in Offline
	Issued        int64
	FirstToken    int64 // 0 if not recorded
	Done          int64 // -1 if the test ended before the answer
	Tokens        uint32
}

// Start returns the series' start. It is zero if the series never began.
func (r Recording) Start() time.Time { return r.p.Start }

// Samples returns the number of issued samples.
func (r Recording) Samples() int { return len(r.p.Done) }

// SamplesPerQuery returns the size of a query. Slots with the same i/SamplesPerQuery belong to the same query.
func (r Recording) SamplesPerQuery() int { return int(r.p.SamplesPerQuery) }

// HasTokens reports whether tokens were counted.
func (r Recording) HasTokens() bool { return r.p.Tokens != nil }

// HasFirstTokens reports whether the times of first tokens were recorded.
func (r Recording) HasFirstTokens() bool { return r.p.FirstToken != nil }

// Slot returns slot i, counted from 0 to Samples()-1.
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

// handRecording passes the performance series, if one began, to LogSettings.Record.
func (t *testRun) handRecording(p *testSeries) error {
	if t.logs.Record == nil || p == nil || len(p.Done) == 0 {
		return nil
	}
	if err := t.logs.Record(Recording{p}, t.logs.OutDir); err != nil {
		return fmt.Errorf("%w: recording the series: %w", ErrLogs, err)
	}
	return nil
}
