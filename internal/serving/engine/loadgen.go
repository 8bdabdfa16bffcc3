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

// LoadGenSettings returns the settings of a LoadGen performance test with the load p. samples is the number of
// requests. ttft and tpot are the limits of the Server scenario; 0: no limit. It returns an error if no scenario among
// Offline, Server and SingleStream sends the load p.
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
		s.MinDuration, s.MinQueryCount = 0, uint64(len(due.Due)) // the number of due times, also if p limits the duration
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
			s.MinDuration = 0 // the test ends at the duration or at the number of requests, whichever is first
		} else if p.Duration == 0 {
			s.MaxDuration = arrival.MostDuration
		}
	default:
		return s, fmt.Errorf("%s: LoadGen drives --max, --rate (Poisson, without a cap) and one user", p.Label())
	}
	return s, nil
}

// MeasureByLoadGen measures a point with a LoadGen performance test in this process. LoadGen issues the plan's requests
// with settings s, judges the run and writes its logs. LoadGen chooses the requests at random and can send one several
// times; plan.Load is only recorded in the point. The first failed request ends the test with an error. An answer of a
// single token also ends it, because LoadGen cannot compute its TPOT. The point then contains the requests so far.
func MeasureByLoadGen(
	ctx context.Context, asker Asker, plan PointPlan, s loadgen.TestSettings, l loadgen.LogSettings,
) (*MeasuredPoint, *loadgen.Result, error) {
	if s.Mode != loadgen.PerformanceOnly {
		return nil, nil, fmt.Errorf("mode %v: LoadGen measures a server in %v", s.Mode, loadgen.PerformanceOnly)
	}
	if plan.NoTokens {
		s.UseTokenLatencies = false
	}
	plan.MaxErrors, plan.MaxRetries = &MaxErrors{Count: math.MaxInt}, 0
	e, err := newEngine(asker, plan)
	if err == nil {
		err = e.encodeRequests(arrival.Schedule{})
	}
	if err != nil {
		return nil, nil, err
	}
	defer e.startClock(ctx)()
	testing, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	d := &loadGenWorkload{engine: e, settings: s, failTest: fail}
	e.slots.nextSize = len(e.warmUpWork.items) + int(min(s.MinQueryCount, blockSize))
	result, err := loadgen.StartTest(testing, d, d, s, l)
	if cause := context.Cause(testing); cause != nil && ctx.Err() == nil {
		err = cause
	}
	if err != nil {
		e.abortPoint(ByErrors)
	}
	d.requests.Wait()
	e.stopSending(ByRequests)
	d.setDueTimes()
	p := e.makePoint(nil)
	p.Client = e.clientMeter.clientUsage(p)
	return p, result, err
}

// loadGenWorkload is the SUT and the QSL of a server for LoadGen.
type loadGenWorkload struct {
	*engine
	settings  loadgen.TestSettings
	failTest  context.CancelCauseFunc
	requests  sync.WaitGroup
	meterOnce sync.Once
}

// Name implements loadgen.SUT and loadgen.QSL.
func (d *loadGenWorkload) Name() string { return "server" }

// TotalSampleCount implements loadgen.QSL. Each request is a sample.
func (d *loadGenWorkload) TotalSampleCount() int { return len(d.work.items) }

// PerformanceSampleCount implements loadgen.QSL. All requests are in memory.
func (d *loadGenWorkload) PerformanceSampleCount() int { return len(d.work.items) }

// LoadSamplesToRAM implements loadgen.QSL.
func (d *loadGenWorkload) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error { return nil }

// UnloadSamplesFromRAM implements loadgen.QSL.
func (d *loadGenWorkload) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error {
	return nil
}

// FlushQueries implements loadgen.SUT. No query is held back.
func (d *loadGenWorkload) FlushQueries(context.Context) error { return nil }

// WarmUp implements loadgen.Warmer.
func (d *loadGenWorkload) WarmUp(context.Context) error {
	d.warmUp()
	return nil
}

// IssueQuery implements loadgen.SUT.
func (d *loadGenWorkload) IssueQuery(_ context.Context, q loadgen.Query, out loadgen.Responder) error {
	now := d.clock.Now()
	d.meterOnce.Do(d.clientMeter.start)
	for _, s := range q.Samples {
		r := d.slots.newRecord()
		r.Due, r.Index = now, int(s.ID)
		d.requests.Go(func() { d.answerSample(s, r, out) })
	}
	return nil
}

// answerSample sends the request of a sample and reports the answer to LoadGen.
func (d *loadGenWorkload) answerSample(s loadgen.QuerySample, r *metrics.Request, out loadgen.Responder) {
	answer := []loadgen.QuerySampleResponse{{ID: s.ID}}
	first := func() { out.FirstTokenComplete(answer) }
	if !d.settings.UseTokenLatencies {
		first = nil
	}
	d.askItem(&d.work.items[s.Index], r, nil, first, false)
	m := metrics.MeasureRequest(r, metrics.FigureRules{NoTokens: d.plan.NoTokens})
	switch {
	case m.Found != metrics.OK:
		d.failTest(fmt.Errorf("the request of row %d failed (%s%s): LoadGen's tests end with the first that fails", r.Row+1,
			m.Found, faultText(r.Fault)))
	case d.settings.UseTokenLatencies && m.Out == metrics.Unknown:
		d.failTest(errors.New(
			"the server does not count the tokens of its answers: LoadGen wants to know how many there are"))
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

// setDueTimes sets the due times of the requests from LoadGen's schedule. It places the schedule's start at the
// latest time at which no request was issued before its due time.
func (d *loadGenWorkload) setDueTimes() {
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
		d.measureStart.Store(zero)
	}
}

// serverArrivals returns the due times of the Server scenario, and nil for other scenarios.
func (d *loadGenWorkload) serverArrivals() ([]int64, error) {
	s := d.settings
	if s.Scenario != loadgen.Server {
		return nil, nil
	}
	return loadgen.ServerArrivals(s.ServerTargetQPS, s.ScheduleRNGSeed, s.MinQueryCount, s.MinDuration)
}
