package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// LoadGenSettings are those of a performance test that sends as a load does: Offline's, Server's or SingleStream's.
// Samples is how many requests there are; TTFT and TPOT are Server's limits, 0: none that matters. A load that is no
// scenario of LoadGen is an error.
func LoadGenSettings(p arrival.Pattern, samples int, ttft, tpot time.Duration) (loadgen.TestSettings, error) {
	s := loadgen.DefaultTestSettings()
	s.Mode, s.UseTokenLatencies = loadgen.PerformanceOnly, true
	s.MinDuration, s.MinQueryCount = p.Duration, uint64(max(1, p.Requests))
	s.QSLRNGSeed, s.SampleIndexRNGSeed, s.ScheduleRNGSeed = p.Seed, p.Seed, p.Seed
	if p.Requests == 0 && p.Duration == 0 {
		s.MinDuration, s.MinQueryCount = arrival.DefaultDuration, arrival.DefaultRequests
	}
	switch p.Scenario() {
	case loadgen.Server.String():
		due, err := p.MakeSchedule(samples, nil)
		if err != nil {
			return s, err
		}
		s.Scenario, s.ServerTargetQPS = loadgen.Server, p.PerSecond
		s.MinDuration, s.MinQueryCount = 0, uint64(len(due.Due)) // the same, however they were counted
		if s.ServerTTFTLatency, s.ServerTPOTLatency = ttft, tpot; ttft == 0 {
			s.ServerTTFTLatency = arrival.NoLimit
		}
		if tpot == 0 {
			s.ServerTPOTLatency = arrival.NoLimit
		}
		s.ServerTargetLatency = arrival.NoLimit
	case loadgen.Offline.String():
		n := cmp.Or(p.Requests, samples)
		s.Scenario, s.MinDuration, s.MinQueryCount = loadgen.Offline, 0, uint64(n) // samples of the one query
	case loadgen.SingleStream.String():
		s.Scenario = loadgen.SingleStream
		s.SingleStreamExpectedLatency = time.Millisecond
		if s.MaxDuration = p.Duration; p.Requests > 0 {
			s.MinDuration = 0 // whichever comes first
		} else if p.Duration == 0 {
			s.MaxDuration = arrival.MostDuration
		}
	default:
		return s, fmt.Errorf("%s: LoadGen drives --max, --rate (Poisson, without a cap) and one user", p.Label())
	}
	return s, nil
}

// MeasureByLoadGen has LoadGen send the requests of the plan, in this process, and judge and log them: a performance
// test by s. LoadGen draws which of the requests are sent, some more than once; the load of the plan is what is said of
// it. The first failure ends the test with an error, and so does an answer of a single token, which LoadGen knows no
// TPOT of; the point then has what was done.
func MeasureByLoadGen(
	ctx context.Context, asker Asker, plan PointPlan, s loadgen.TestSettings, l loadgen.LogSettings,
) (*MeasuredPoint, *loadgen.Result, error) {
	if s.Mode != loadgen.PerformanceOnly {
		return nil, nil, fmt.Errorf("mode %v: LoadGen measures a server in %v", s.Mode, loadgen.PerformanceOnly)
	}
	if plan.NoTokens {
		s.UseTokenLatencies = false
	}
	plan.MaxErrors, plan.Retry = &MaxErrors{Count: math.MaxInt}, 0
	e, err := newEngine(asker, plan)
	if err == nil {
		err = e.writeRequests(arrival.Schedule{})
	}
	if err != nil {
		return nil, nil, err
	}
	defer e.startClock(ctx)()
	testing, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	d := &servedWorkload{engine: e, settings: s, fail: fail}
	e.slots.size = len(e.warm.items) + int(min(s.MinQueryCount, minBlock))
	result, err := loadgen.StartTest(testing, d, d, s, l)
	if cause := context.Cause(testing); cause != nil && ctx.Err() == nil {
		err = cause
	}
	if err != nil {
		e.abortPoint(ByErrors)
	}
	d.group.Wait()
	e.stop(ByRequests)
	d.placeDueTimes()
	p := e.makePoint(nil)
	p.Client = e.client.clientUsage(p)
	return p, result, err
}

// servedWorkload is the SUT and the QSL of a server.
type servedWorkload struct {
	*engine
	settings loadgen.TestSettings
	fail     context.CancelCauseFunc
	group    sync.WaitGroup
	began    sync.Once
}

// Name implements loadgen.SUT and loadgen.QSL.
func (d *servedWorkload) Name() string { return "server" }

// TotalSampleCount implements loadgen.QSL: each request is a sample.
func (d *servedWorkload) TotalSampleCount() int { return len(d.work.items) }

// PerformanceSampleCount implements loadgen.QSL: all requests are written.
func (d *servedWorkload) PerformanceSampleCount() int { return len(d.work.items) }

// LoadSamplesToRAM implements loadgen.QSL.
func (d *servedWorkload) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error { return nil }

// UnloadSamplesFromRAM implements loadgen.QSL.
func (d *servedWorkload) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error {
	return nil
}

// FlushQueries implements loadgen.SUT: nothing is held back.
func (d *servedWorkload) FlushQueries(context.Context) error { return nil }

// WarmUp implements loadgen.Warmer.
func (d *servedWorkload) WarmUp(context.Context) error {
	d.warmUp()
	return nil
}

// IssueQuery implements loadgen.SUT.
func (d *servedWorkload) IssueQuery(_ context.Context, q loadgen.Query, out loadgen.Responder) error {
	now := d.clock.Now()
	d.began.Do(d.client.startMeter)
	for _, s := range q.Samples {
		r := d.slots.newRecord()
		r.Due, r.Index = now, int(s.ID)
		d.group.Go(func() { d.answerSample(s, r, out) })
	}
	return nil
}

// answerSample asks for a sample, and answers it.
func (d *servedWorkload) answerSample(s loadgen.QuerySample, r *metrics.Request, out loadgen.Responder) {
	answer := []loadgen.QuerySampleResponse{{ID: s.ID}}
	first := func() { out.FirstTokenComplete(answer) }
	if !d.settings.UseTokenLatencies {
		first = nil
	}
	d.askItem(&d.work.items[s.Index], r, nil, first, false)
	m := metrics.MeasureRequest(r, metrics.FigureRules{NoTokens: d.plan.NoTokens})
	switch {
	case m.Found != metrics.OK:
		d.fail(fmt.Errorf("the request of row %d failed (%s%s): LoadGen's tests end with the first that fails", r.Row+1,
			m.Found, faultText(r.Fault)))
	case d.settings.UseTokenLatencies && m.Out == metrics.Unknown:
		d.fail(errors.New("the server does not count the tokens of its answers: LoadGen wants to know how many there are"))
	default:
		out.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: s.ID, NTokens: max(0, m.Out)}})
	}
}

func faultText(fault string) string {
	if fault == "" {
		return ""
	}
	return ": " + fault
}

// placeDueTimes sets when requests were due by LoadGen's schedule, whose zero is the earliest that none was issued
// before.
func (d *servedWorkload) placeDueTimes() {
	zero := int64(math.MaxInt64)
	due, err := d.serverArrivals()
	for _, b := range d.slots.blocks {
		for i := range b {
			if r := &b[i]; !r.WarmUp && err == nil && r.Index < len(due) {
				zero = min(zero, r.Due-due[r.Index])
			} else if !r.WarmUp {
				zero = min(zero, r.Due)
			}
		}
	}
	for _, b := range d.slots.blocks {
		for i := range b {
			if r := &b[i]; !r.WarmUp && r.Index < len(due) {
				r.Due = zero + due[r.Index]
			}
		}
	}
	if zero < math.MaxInt64 {
		d.zero.Store(zero)
	}
}

// serverArrivals are Server's due times; none of another scenario.
func (d *servedWorkload) serverArrivals() ([]int64, error) {
	s := d.settings
	if s.Scenario != loadgen.Server {
		return nil, nil
	}
	return loadgen.ServerArrivals(s.ServerTargetQPS, s.ScheduleRNGSeed, s.MinQueryCount, s.MinDuration)
}
