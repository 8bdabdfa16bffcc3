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
// sample answered to the nanosecond as it was. Without a trace the SUT sleeps in IssueQuery as the official one did.
type replay struct {
	loadgentest.Clock
	c      *logCase
	trace  []mllog.TraceSample // by number; only issued samples
	next   int                 // the first sample of the next query
	begin  time.Duration       // where the clock goes after the series' start was read; 0: nowhere
	shift  time.Duration       // from the trace's times to the clock's
	leads  int                 // the first sample of the performance series, and
	lead   time.Duration       // the time from its start to its first query
	tokens []mllog.TraceSample // first tokens by number of the sample, in token runs
	sleep  time.Duration       // without a trace: how long the SUT sleeps inside IssueQuery
	trial  int                 // FlushQueries calls so far
	held   []func()            // answers that wait for FlushQueries
}

func newReplay(c *logCase, trace, tokens []mllog.TraceSample) *replay {
	r := &replay{c: c, trace: trace, tokens: tokens, sleep: 1100 * time.Microsecond}
	if c.SleepS != nil {
		r.sleep = time.Duration(*c.SleepS*1e9) + 100*time.Microsecond
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

// findLead works out how long before its first query the performance series began, in SingleStream and in token runs of
// MultiStream: the trace does not tell. The only numbers that depend on it are the rates with overhead, of so many
// queries or tokens.
func (r *replay) findLead(rates map[string]float64) {
	last := len(r.trace) - 1
	if queries := int(rates["result_query_count"]); queries <= len(r.trace) {
		r.leads = len(r.trace) - queries
	}
	counted, rate := float64(last-r.leads), rates["result_qps_with_loadgen_overhead"]
	if r.c.Settings.Scenario == "MultiStream" {
		r.leads = 0
		counted, rate = 0, rates["result_token_throughput_with_loadgen_overhead"]
		for _, s := range r.trace {
			counted += float64(r.c.tokensOf(loadgen.SampleIndex(s.Index)))
		}
	}
	if rate > 0 {
		r.lead = time.Duration(counted/rate*1e9) - r.issueTime(r.trace[last]) + r.issueTime(r.trace[r.leads])
	}
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
	if len(r.trace) == 0 && !r.c.Settings.Defer {
		r.sleepAndAnswer(q, out)
		return nil
	}
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
		if r.c.Settings.Defer {
			r.held = append(r.held, answer)
			continue
		}
		t := r.trace[first+i]
		if len(r.tokens) > 0 {
			token := r.tokens[first+i]
			r.After(r.shift+time.Duration(t.Scheduled+token.Latency)-r.Clock.Now(), func() { r.firstToken(s, out) })
		}
		r.After(r.shift+time.Duration(t.Scheduled+t.Latency)-r.Clock.Now(), answer)
	}
	return nil
}

// sleepAndAnswer keeps the issuing thread, as the SUT of the official runs did.
func (r *replay) sleepAndAnswer(q loadgen.Query, out loadgen.Responder) {
	sleep := r.sleep
	if met := r.c.met; r.trial < len(met) && !met[r.trial] {
		sleep += r.c.Settings.test().ServerTargetLatency
	}
	r.Advance(sleep)
	if r.c.Settings.UseTokenLatencies {
		for _, s := range q.Samples {
			r.firstToken(s, out)
		}
		r.Advance(sleep)
	}
	for _, s := range q.Samples {
		r.answer(s, out)
	}
}

func (r *replay) firstToken(s loadgen.QuerySample, out loadgen.Responder) {
	out.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: s.ID, Data: indexData(s.Index)}})
}

func (r *replay) answer(s loadgen.QuerySample, out loadgen.Responder) {
	one := []loadgen.QuerySampleResponse{{ID: s.ID, Data: indexData(s.Index), NTokens: r.c.tokensOf(s.Index)}}
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
	r.trial++
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
