package loadgen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// abandonAfter is how long a call into the SUT or the QSL may run after its context ended. It is longer than the grace
// for outstanding samples.
const abandonAfter = drainGrace + time.Second

// runWithSet loads a set, lets the SUT warm up for a performance series, calls run, and unloads the set. It returns the
// result of run.
func (t *testRun) runWithSet(
	ctx context.Context, set schedule.Set, accuracy bool, run func() (*testSeries, error),
) (p *testSeries, err error) {
	t.progress.beginLoading(t.effective, accuracy)
	indices := sampleIndices(set)
	t.log.logLoadedSet(indices)
	err = t.log.logDuring("LoadSamples", func() error {
		return callOrAbandon(ctx, "loading samples", func() error { return t.qsl.LoadSamplesToRAM(ctx, indices) })
	})
	if err != nil {
		return nil, fmt.Errorf("QSL %s: loading %d samples: %w", t.result.QSLName, len(indices), err)
	}
	if err = t.warmUp(ctx, accuracy); err == nil {
		p, err = run()
	}
	if uerr := t.unloadSamples(ctx, indices); err == nil && uerr != nil {
		err = fmt.Errorf("QSL %s: unloading %d samples: %w", t.result.QSLName, len(indices), uerr)
	}
	return p, err
}

// unloadSamples unloads the samples, even after ctx ended.
func (t *testRun) unloadSamples(ctx context.Context, indices []SampleIndex) error {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
		defer cancel()
	}
	return t.log.logDuring("UnloadSamples", func() error {
		return callOrAbandon(ctx, "unloading samples", func() error { return t.qsl.UnloadSamplesFromRAM(ctx, indices) })
	})
}

// runPass draws the traffic of a loaded set and issues it as one series. If the series ends early, it returns both the
// measurements and the error.
func (t *testRun) runPass(ctx context.Context, set schedule.Set, accuracy bool) (*testSeries, error) {
	var x *queryIssuer
	err := t.log.logDuring("GenerateQueries", func() (err error) {
		x, err = t.prepareIssuer(set, accuracy)
		return err
	})
	if err != nil {
		return nil, err
	}
	p := &testSeries{
		Accuracy: accuracy, GeneratedQueries: uint64(x.plan.Queries),
		SamplesPerQuery: uint64(x.plan.SamplesPerQuery), GeneratedDuration: x.plan.End,
		firstSample: uint64(x.first), firstQuery: t.nextQuery,
		index: func(i int) SampleIndex { return SampleIndex(x.plan.Sample(i)) },
	}
	t.log.logGenerated(p)
	a := t.newAnswers(x)
	t.nextID += uint64(x.plan.Total())
	err = t.log.logDuring("RunQueries", func() error {
		return callOrAbandon(ctx, "issuing queries", func() error { return x.issueAll(ctx, a) })
	})
	if err = t.moveRecorded(x, p, err); err == nil {
		t.log.traceSeries(p)
	}
	t.result.Started = p.Start
	t.log.logSeriesEnd(p)
	t.nextQuery += p.GeneratedQueries
	return p, err
}

// prepareIssuer draws the traffic of a set.
func (t *testRun) prepareIssuer(set schedule.Set, accuracy bool) (*queryIssuer, error) {
	plan, err := schedule.Generate(seriesParams(t.settings, t.effective, set, accuracy))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadSettings, err)
	}
	if n := uint64(plan.Total()); n > schedule.MaxSamples-t.nextID {
		return nil, fmt.Errorf("%w: the next series would issue %d samples after %d, at most %d are possible in one test",
			ErrBadSettings, n, t.nextID, uint64(schedule.MaxSamples))
	}
	x := t.newIssuer(plan, accuracy)
	if accuracy {
		return x, nil
	}
	x.outlook, x.skips = t.effective.Scenario.kindOf().newOutlook(t, x), t.newSkips(x)
	if x.outlook != nil {
		if why := hopelessPlan(t.effective, x.plan, len(x.lanes)); why != "" {
			t.markHopeless(why)
		}
	}
	return x, nil
}

// moveRecorded moves x's records into p, also if the series ended early with err or broke the contract.
func (t *testRun) moveRecorded(x *queryIssuer, p *testSeries, err error) error {
	p.Pauses = x.pauses.allPauses()
	t.pauses = append(t.pauses, p.Pauses...)
	if err == nil {
		err = t.firstBreach()
	}
	if err != nil {
		x.copyUnfinished(p)
		return err
	}
	x.collectSeries(p)
	return nil
}

// warmUp lets the SUT warm up before a measured series.
func (t *testRun) warmUp(ctx context.Context, accuracy bool) error {
	w, ok := t.sut.(Warmer)
	if !ok || accuracy {
		return nil
	}
	t.progress.enterPhase(PhaseWarmUp)
	err := t.log.logDuring("WarmUp", func() error {
		return callOrAbandon(ctx, "warming up", func() error { return w.WarmUp(ctx) })
	})
	if err != nil {
		return fmt.Errorf("SUT %s: warming up: %w", t.result.SUTName, err)
	}
	return nil
}

// newAnswers returns the responder's data for x. The clock is set at the start.
func (t *testRun) newAnswers(x *queryIssuer) *seriesAnswers {
	a := &seriesAnswers{
		rec: x.rec, first: ResponseID(x.first), plan: &x.plan, log: t.log.accuracyWriter(), logAll: x.accuracy,
		kind: x.recordKind,
	}
	n := x.plan.Total()
	if x.accuracy {
		t.sampler.Skip(n)
		return a
	}
	// A probability of 0 logs nothing, except for a sum of exactly 1, once in 10^15 samples.
	if prob := logProbability(t.settings, t.effective); prob > 0 {
		a.chosen = t.sampler.Choose(n, prob)
	}
	return a
}

// callOrAbandon calls f unless ctx has ended. f should return soon after the end of ctx. If it does not, callOrAbandon
// returns without it.
func callOrAbandon(ctx context.Context, what string, f func() error) error {
	if ctx.Err() != nil {
		return endCause(ctx)
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(abandonAfter)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
	}
	select {
	case err := <-done: // after a standstill of the machine, both channels are ready
		return err
	default:
		return fmt.Errorf("%w; the call for %s did not return within %v and is abandoned", endCause(ctx), what, abandonAfter)
	}
}

// endCause returns why ctx ended.
func endCause(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrInterrupted, cause)
	}
	return cause
}

// withCause adds the cause of the context's end to the error of a test if that end made the test fail. A SUT or a QSL
// may have returned only ctx.Err().
func withCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	end := endCause(ctx)
	if errors.Is(err, ErrInterrupted) || errors.Is(err, end) {
		return err
	}
	return fmt.Errorf("%w; %w", end, err)
}

// endedByUser distinguishes an interruption or a wish to stop from a failure of the SUT. After a failure there are no
// answers to wait for.
func endedByUser(err error) bool {
	return errors.Is(err, ErrInterrupted) || errors.Is(err, ErrHopeless)
}
