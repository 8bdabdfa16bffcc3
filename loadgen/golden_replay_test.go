package loadgen_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// replay is a SUT and a virtual clock that repeat the times of a trace. Each query is issued and each sample answered
// at the same nanosecond as in the trace. Without a trace the SUT sleeps in IssueQuery like the official one.
type replay struct {
	loadgentest.Clock
	c      *logCase
	trace  []mllog.TraceSample // by number; only issued samples
	next   int                 // the first sample of the next query
	begin  time.Duration       // time to which the clock moves after the series' start was read; 0: it does not move
	shift  time.Duration       // difference between the clock's times and the trace's
	leads  int                 // the first sample of the performance series
	lead   time.Duration       // time from the start of that series to its first query
	tokens []mllog.TraceSample // first tokens by number of the sample, in token runs
	sleep  time.Duration       // without a trace: how long the SUT sleeps inside IssueQuery
	late   uint64              // in trials that met the limit: distance between queries over the limit
	asked  uint64              // without a trace: number of queries since the last FlushQueries
	trial  int                 // number of FlushQueries calls so far
	fresh  bool                // since the last FlushQueries, no query was issued and no samples were loaded
	held   []func()            // answers that wait for FlushQueries
}

// newReplay returns a replay. Without a trace, its SUT sleeps as long as the case requires, modified by p.
func newReplay(c *logCase, trace, tokens []mllog.TraceSample, p tempo) *replay {
	sleep := time.Millisecond
	if c.SleepS != nil {
		sleep = time.Duration(*c.SleepS * 1e9)
	}
	sleep = time.Duration(p.slower * float64(sleep+100*time.Microsecond))
	return &replay{c: c, trace: trace, tokens: tokens, sleep: sleep, late: p.late}
}

func withVirtual(ctx context.Context, r *replay) context.Context { return pace.WithVirtual(ctx, r) }

// load sets the start of the following series to now.
func (r *replay) load() {
	r.fresh = false
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

// findLead determines how long before its first query the performance series began, in SingleStream and in token runs
// of MultiStream, because the trace does not contain it. Rates over the time to the last issue or completion depend on
// it. They have six digits, and the lead is the middle of the interval that all of them allow.
func (r *replay) findLead(rates map[string]float64) {
	queries, samples := int(rates["result_query_count"]), len(r.trace)
	switch r.c.Settings.Scenario {
	case "SingleStream":
		r.leads = samples - queries
	case "MultiStream":
		if !r.c.Settings.UseTokenLatencies {
			return
		}
		r.leads = samples - queries*int(rates["effective_samples_per_query"])
	default:
		return
	}
	if queries == 0 { // an accuracy run has no rate
		return
	}
	tokens := 0.0
	for _, s := range r.trace[r.leads:] {
		tokens += float64(r.c.tokensOf(loadgen.SampleIndex(s.Index)))
	}
	issued := r.issueTime(r.trace[samples-1]) - r.issueTime(r.trace[r.leads])
	r.lead = leadOf([]leadRate{
		{rates["result_qps_with_loadgen_overhead"], float64(queries - 1), issued},
		{rates["result_token_throughput_with_loadgen_overhead"], tokens, issued},
		{rates["result_completed_tokens_per_second"], tokens, issued + r.lastLatency()},
	})
}

// lastLatency returns the latency of the query issued last.
func (r *replay) lastLatency() time.Duration {
	last := r.trace[len(r.trace)-1]
	var longest int64
	for _, s := range r.trace {
		if s.Scheduled == last.Scheduled {
			longest = max(longest, s.Latency)
		}
	}
	return time.Duration(longest)
}

// leadRate is a rate of n events over the time since plus the lead.
type leadRate struct {
	rate, n float64
	since   time.Duration
}

// leadOf returns the middle of the leads with which all rates have their logged values.
func leadOf(rates []leadRate) time.Duration {
	low, high := 0.0, math.Inf(1)
	for _, r := range rates {
		if r.rate <= 0 || r.n <= 0 {
			continue
		}
		half := math.Pow(10, math.Floor(math.Log10(r.rate))-5) / 2
		low = max(low, r.n/(r.rate+half)*1e9-float64(r.since))
		high = min(high, r.n/(r.rate-half)*1e9-float64(r.since))
	}
	if math.IsInf(high, 1) {
		return 0
	}
	return time.Duration(math.Round((low + high) / 2))
}

// to moves the clock forward.
func (r *replay) to(at time.Duration) {
	if d := at - r.Clock.Now(); d > 0 {
		r.Advance(d)
	}
}

// issueTime returns the time at which a sample was issued. If queries follow each other, the latency counts from it.
func (r *replay) issueTime(s mllog.TraceSample) time.Duration {
	if r.c.Settings.Scenario == "Server" || r.c.Settings.Scenario == "Offline" {
		return r.shift + time.Duration(s.Scheduled+s.IssueDelay)
	}
	return r.shift + time.Duration(s.Scheduled)
}

// Now implements pace.Virtual. The first call of a series reads its start, and the next call is at the first issue.
func (r *replay) Now() time.Duration {
	now := r.Clock.Now()
	if r.begin > 0 && r.next < len(r.trace) {
		r.to(r.begin)
		r.begin = 0
	}
	return now
}

// SleepUntil implements pace.Virtual. It sleeps too long where the trace shows it.
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
	if first+len(q.Samples) > len(r.trace) && !r.c.Settings.Defer {
		return fmt.Errorf("a query of %d samples, and the trace has %d of %d left",
			len(q.Samples), len(r.trace)-first, len(r.trace))
	}
	if r.fresh && !r.c.Settings.Defer { // a trial of a search with the same samples as the previous one
		r.shift = r.Clock.Now() - time.Duration(r.trace[first].Scheduled)
	}
	r.fresh = false
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
	r.overdue()
	return nil
}

// overdue advances to the issue of Server's next query if that is already due, because LoadGen would not wait for it.
func (r *replay) overdue() {
	if r.c.Settings.Scenario != "Server" || r.next == len(r.trace) {
		return
	}
	if next := r.trace[r.next]; r.shift+time.Duration(next.Scheduled) <= r.Clock.Now() {
		r.Clock.SleepUntil(r.issueTime(next))
	}
}

// sleepAndAnswer blocks the issuing thread like the SUT of the official runs.
func (r *replay) sleepAndAnswer(q loadgen.Query, out loadgen.Responder) {
	r.asked++
	s, sleep := r.c.Settings.test(), r.sleep
	over := max(s.ServerTargetLatency, s.ServerTTFTLatency)
	if met := r.c.met; r.trial < len(met) {
		sleep = time.Microsecond
		switch {
		case !met[r.trial]:
			sleep += over
		case r.late > 0 && r.asked%r.late == 0:
			samples := slices.Clone(q.Samples)
			r.After(over+time.Microsecond, func() { r.answerAll(samples, sleep, out) })
			return
		}
	}
	r.Advance(sleep)
	r.answerAll(q.Samples, sleep, out)
}

// answerAll answers a query. In token runs it reports the first tokens and answers after another sleep.
func (r *replay) answerAll(samples []loadgen.QuerySample, sleep time.Duration, out loadgen.Responder) {
	if r.c.Settings.UseTokenLatencies {
		for _, s := range samples {
			r.firstToken(s, out)
		}
		r.Advance(sleep)
	}
	for _, s := range samples {
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

// idle advances the time from the last answer of a query to the next issue, unless the clock determines it.
func (r *replay) idle() {
	if r.next < len(r.trace) && r.c.Settings.Scenario != "Server" {
		r.to(r.issueTime(r.trace[r.next]))
	}
}

// FlushQueries implements loadgen.SUT.
func (r *replay) FlushQueries(context.Context) error {
	r.trial++
	r.fresh, r.asked = true, 0
	for _, answer := range r.held {
		r.Advance(time.Millisecond)
		answer()
	}
	return nil
}

// replayQSL informs the replay when a series begins.
type replayQSL struct {
	*loadgentest.QSL
	r *replay
}

func (q replayQSL) Name() string { return "PyQSL" }

func (q replayQSL) LoadSamplesToRAM(ctx context.Context, set []loadgen.SampleIndex) error {
	q.r.load()
	return q.QSL.LoadSamplesToRAM(ctx, set)
}
