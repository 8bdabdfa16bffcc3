package loadgen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// testRun is one running StartTest.
type testRun struct {
	sut       SUT
	qsl       QSL
	settings  TestSettings
	effective EffectiveSettings
	logs      LogSettings
	counts    qslCounts
	log       *runLog
	progress  *Progress
	sampler   *schedule.Sampler
	// The numbers of the next series' first sample, which is its response id, and first query.
	nextID, nextQuery uint64

	responder *testResponder
	cancel    context.CancelCauseFunc
	hopeless  atomic.Pointer[string] // why the run can only end INVALID
	breach    atomic.Pointer[error]  // the first breach of the contract
	pauses    []Pause                // in all series
	result    Result
}

// newTest checks everything that can be checked before the logs are created.
func newTest(sut SUT, qsl QSL, s TestSettings, l LogSettings) (*testRun, error) {
	if err := checkParts(sut, qsl); err != nil {
		return nil, err
	}
	t := &testRun{sut: sut, qsl: qsl, settings: applyTest05(s), logs: l, progress: l.Progress}
	if t.progress == nil {
		t.progress = &Progress{}
	}
	t.counts = qslCounts{total: qsl.TotalSampleCount(), performance: qsl.PerformanceSampleCount()}
	if err := errors.Join(t.settings.Check(), checkQSLCounts(t.counts)); err != nil {
		return nil, err
	}
	t.effective = effectiveSettings(t.settings, t.counts)
	if err := checkFit(t.settings, t.effective, t.counts); err != nil {
		return nil, err
	}
	t.sampler = schedule.NewSampler(t.settings.AccuracyLogRNGSeed)
	return t, nil
}

// runTest runs the test under ctx and writes the logs.
func (t *testRun) runTest(ctx context.Context) (*Result, error) {
	t.progress.resetTest()
	if err := t.openLogs(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.cancel = cancel
	t.responder = &testResponder{onBreach: func(err error) {
		if t.breach.CompareAndSwap(nil, &err) {
			cancel(err)
		}
	}}
	if why := t.hopelessFromStart(); why != "" {
		t.markHopeless(why)
	}
	p, err := t.runSeries(ctx)
	t.responder.current.Store(nil)
	if err == nil {
		err = t.firstBreach()
	}
	return t.concludeTest(p, withCause(ctx, err))
}

// openLogs creates the logs and writes the entries that are known before the first series.
func (t *testRun) openLogs() error {
	asked := time.Now()
	sutName := t.sut.Name()
	nameTook := time.Since(asked)
	log, err := openLogs(t.logs)
	if err != nil {
		return err
	}
	t.log = log
	t.result = Result{SUTName: sutName, QSLName: t.qsl.Name(), Requested: t.settings, Effective: t.effective}
	for _, text := range t.logs.ConfigErrors {
		log.configError(text)
	}
	log.logStart(sutName, nameTook, t.result.QSLName, t.counts.total, t.counts.performance)
	if t.logs.Audit != "" {
		log.logWarning(fmt.Sprintf("Found Audit Config file (%s). Overriding TestSettings from audit.config file.",
			t.logs.Audit))
	}
	if t.settings.Test05 {
		log.logWarning("Test05 flag detected Overriding random seeds")
	}
	log.logRequested(t.settings)
	log.logEffective(t.effective, t.settings)
	return nil
}

// markHopeless records why the run can only end INVALID, and ends the run if AbortEarly is set.
func (t *testRun) markHopeless(why string) {
	if !t.hopeless.CompareAndSwap(nil, &why) {
		return
	}
	t.progress.hopeless.Store(&why)
	if t.logs.AbortEarly {
		t.cancel(fmt.Errorf("%w: %s", ErrHopeless, why))
	}
}

// firstBreach returns the first breach of the contract, or nil.
func (t *testRun) firstBreach() error {
	if err := t.breach.Load(); err != nil {
		return *err
	}
	return nil
}

// runSeries runs the mode's series. It returns the performance series, or nil if there was none.
func (t *testRun) runSeries(ctx context.Context) (*testSeries, error) {
	if ctx.Err() != nil { // ended before it began
		return nil, endCause(ctx)
	}
	if t.effective.Mode == AccuracyOnly || t.effective.Mode == SubmissionRun {
		if err := t.runAccuracy(ctx); err != nil {
			return nil, err
		}
	}
	if t.effective.Mode == AccuracyOnly {
		return nil, nil
	}
	if t.effective.Mode == FindPeakPerformance {
		return t.findPeak(ctx)
	}
	t.log.logMode(PerformanceOnly)
	count := min(t.effective.PerformanceSampleCount, uint64(t.counts.total))
	if t.settings.LoadFromAll {
		count = uint64(t.counts.total)
	}
	set := t.loadableSets(count)[0]
	return t.runWithSet(ctx, set, false, func() (*testSeries, error) { return t.runPass(ctx, set, false) })
}

// runAccuracy issues every sample once, one loadable set after another.
func (t *testRun) runAccuracy(ctx context.Context) error {
	t.log.logMode(AccuracyOnly)
	for _, set := range t.loadableSets(min(t.effective.AccuracySampleCount, uint64(t.counts.total))) {
		run := func() (*testSeries, error) { return t.runPass(ctx, set, true) }
		if _, err := t.runWithSet(ctx, set, true, run); err != nil {
			return err
		}
	}
	return nil
}

// loadableSets returns the loadable sets of the first count samples, in their order.
func (t *testRun) loadableSets(count uint64) []schedule.Set {
	each := min(t.effective.PerformanceSampleCount, count)
	return schedule.Sets(int(count), int(each), int(t.effective.Scenario.kindOf().padding(t.effective)),
		schedule.Source(t.effective.QSLRNGSeed, t.settings.OlderSampleOrder))
}

// concludeTest judges the performance series p, if there is one, marks a test that ended early with why, and ends the
// logs.
func (t *testRun) concludeTest(p *testSeries, why error) (*Result, error) {
	t.progress.enterPhase(PhaseWriting)
	r := &t.result
	if why != nil {
		r.Aborted = why
		t.log.logError("Test aborted: " + strings.ReplaceAll(why.Error(), "\n", "; "))
	}
	if t.effective.Mode != AccuracyOnly {
		if p == nil {
			p = &testSeries{SamplesPerQuery: t.effective.SamplesPerQuery} // the series never began
		}
		judgeSeries(t.settings, t.effective, p, r)
	}
	r.Notes = t.testNotes()
	err := errors.Join(t.handRecording(p), t.log.finishLogs(r))
	t.progress.enterPhase(PhaseDone)
	if errors.Is(why, ErrHopeless) {
		return r, err // as requested; the Result contains the reason
	}
	return r, errors.Join(why, err)
}

// testNotes returns the findings about a judged test.
func (t *testRun) testNotes() []Note {
	var list []Note
	if why := t.hopeless.Load(); why != nil {
		text := "It was clear before the end that the run could only end INVALID: " + *why + "."
		list = append(list, Note{About: "hopeless", Text: text})
	}
	if len(t.pauses) > len(t.result.Pauses) { // otherwise a reason reports it
		text := pausesText(t.pauses) + "; the answers count, their times do not."
		list = append(list, Note{About: ruleStandstill, Text: text})
	}
	if text := t.effective.Scenario.kindOf().lateIssueText(&t.result); text != "" {
		list = append(list, Note{About: "issue_delay", Text: text})
	}
	return list
}
