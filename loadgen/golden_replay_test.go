package loadgen_test

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/pace"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// replay is a SUT and a virtual clock that make a run happen at the times of a trace: each query is issued and each
// sample answered to the nanosecond as it was. Without a trace each sample is answered after a fixed time.
type replay struct {
	loadgentest.Clock
	c       *logCase
	trace   []mllog.TraceSample // by number; only issued samples
	next    int                 // the first sample of the next query
	begin   time.Duration       // where the clock goes after the series' start was read; 0: nowhere
	shift   time.Duration       // from the trace's times to the clock's
	leads   int                 // the first sample of the performance series, and
	lead    time.Duration       // the time from its start to its first query
	latency time.Duration
	held    []func() // answers that wait for FlushQueries
}

func newReplay(c *logCase, trace []mllog.TraceSample) *replay {
	r := &replay{c: c, trace: trace, latency: 1100 * time.Microsecond}
	if c.SleepS != nil {
		r.latency = time.Duration(*c.SleepS*1e9) + 100*time.Microsecond
	}
	return r
}

func withVirtual(ctx context.Context, r *replay) context.Context { return pace.WithVirtual(ctx, r) }

// load makes the series that follows start now.
func (r *replay) load() {
	if r.next == len(r.trace) {
		return
	}
	first := r.trace[r.next]
	start := time.Duration(first.Scheduled)
	if r.next == r.leads {
		start -= r.lead
	}
	r.shift = r.Clock.Now() - start
	r.begin = r.issueTime(first)
}

// findLead works out how long before its first query the performance series of a SingleStream run began: the trace
// does not tell. The only number that depends on it is the rate with overhead.
func (r *replay) findLead(rate float64, queries int) {
	r.leads = len(r.trace) - queries
	issued := r.issueTime(r.trace[len(r.trace)-1]) - r.issueTime(r.trace[r.leads])
	r.lead = time.Duration(float64(queries-1)/rate*1e9) - issued
}

// to moves the clock forward.
func (r *replay) to(at time.Duration) {
	if d := at - r.Clock.Now(); d > 0 {
		r.Advance(d)
	}
}

// issueTime is when a sample was issued. Where queries follow each other that is what the latency counts from.
func (r *replay) issueTime(s mllog.TraceSample) time.Duration {
	if r.c.Settings.Scenario == "Server" || r.c.Settings.Scenario == "Offline" {
		return r.shift + time.Duration(s.Scheduled+s.IssueDelay)
	}
	return r.shift + time.Duration(s.Scheduled)
}

// Now implements pace.Virtual: the first call of a series reads its start, the next is already at the first issue.
func (r *replay) Now() time.Duration {
	now := r.Clock.Now()
	if r.begin > 0 && r.next < len(r.trace) {
		r.to(r.begin)
		r.begin = 0
	}
	return now
}

// SleepUntil implements pace.Virtual: it oversleeps as the trace says.
func (r *replay) SleepUntil(at time.Duration) {
	if r.next < len(r.trace) {
		at = r.issueTime(r.trace[r.next])
	}
	r.Clock.SleepUntil(at)
}

// Name implements loadgen.SUT.
func (r *replay) Name() string { return "PySUT" }

// IssueQuery implements loadgen.SUT.
func (r *replay) IssueQuery(_ context.Context, q loadgen.Query, out loadgen.Responder) error {
	first := r.next
	r.next = min(first+len(q.Samples), len(r.trace))
	left := len(q.Samples)
	for i, s := range q.Samples {
		answer := func() {
			r.answer(s, out)
			if left--; left == 0 {
				r.idle()
			}
		}
		switch {
		case r.c.Settings.Defer:
			r.held = append(r.held, answer)
		case len(r.trace) > 0:
			t := r.trace[first+i]
			r.After(r.shift+time.Duration(t.Scheduled+t.Latency)-r.Clock.Now(), answer)
		default:
			r.After(r.latency, answer)
		}
	}
	return nil
}

func (r *replay) answer(s loadgen.QuerySample, out loadgen.Responder) {
	one := []loadgen.QuerySampleResponse{{ID: s.ID, Data: indexData(s.Index)}}
	out.QuerySamplesComplete(one)
	if r.c.Double {
		out.QuerySamplesComplete(one)
	}
}

// idle lets the time pass between the last answer of a query and the next issue, unless the clock decides on that.
func (r *replay) idle() {
	if r.next < len(r.trace) && r.c.Settings.Scenario != "Server" {
		r.to(r.issueTime(r.trace[r.next]))
	}
}

// FlushQueries implements loadgen.SUT.
func (r *replay) FlushQueries(context.Context) error {
	for _, answer := range r.held {
		r.Advance(time.Millisecond)
		answer()
	}
	return nil
}

// replayQSL tells the replay when a series begins.
type replayQSL struct {
	*loadgentest.QSL
	r *replay
}

func (q replayQSL) Name() string { return "PyQSL" }

func (q replayQSL) LoadSamplesToRAM(ctx context.Context, set []loadgen.SampleIndex) error {
	q.r.load()
	return q.QSL.LoadSamplesToRAM(ctx, set)
}
