//go:build officialloadgen && cgo

package official

/*
#include <stdlib.h>
#include "shim/shim.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// StartTest runs one test like loadgen.StartTest and returns the results in the library's logs. It uses these log
// settings: the folder, which is required, the prefix and the suffix, the trace, the audit settings (s must contain
// them already), and Progress, which shows only counts.
//
// If ctx ends, the library's logs stop there and are marked as aborted.
func (l *Library) StartTest(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings,
	logs loadgen.LogSettings) (*loadgen.Result, error) {
	effective, err := checkTest(sut, qsl, s, logs)
	if err != nil {
		return nil, err
	}
	files, err := newLogFiles(logs)
	if err != nil {
		return nil, err
	}
	defer files.removeAudit()
	loaded, err := l.load()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &testRun{
		ctx: ctx, cancel: cancel, loaded: loaded, sut: sut, qsl: qsl, started: time.Now(),
		needsWarmUp: effective.Mode != loadgen.AccuracyOnly,
		oneByOne:    s.Scenario == loadgen.SingleStream || s.Scenario == loadgen.MultiStream,
		allAnswered: make(chan struct{}, 1),
	}
	if effective.Mode == loadgen.FindPeakPerformance {
		t.ascent = newRateAscent(s)
	}
	if s.UseTokenLatencies {
		defer startReporter(t)()
	}
	if logs.Progress != nil {
		logs.Progress.Follow(t.snapshot)
	}
	result := &loadgen.Result{SUTName: sut.Name(), QSLName: qsl.Name(), Requested: s, Effective: effective}
	err = t.perform(s, files, result.SUTName, result.QSLName)
	if err != nil {
		result.Started, result.Duration = t.started, time.Since(t.started)
		result.QueryCount, result.SampleCount = t.queries.Load(), t.issued.Load()
	}
	result, err = files.readResult(result, err)
	if result.Tokens != nil {
		result.Tokens.Count = uint64(t.tokens.Load())
	}
	return result, err
}

// perform runs the test until it or its context ends. If the context ends first, it returns the context's cause.
func (t *testRun) perform(s loadgen.TestSettings, files *logFiles, sutName, qslName string) error {
	entered, done := make(chan struct{}), make(chan testOutcome, 1)
	var lent sync.WaitGroup
	for range issueThreads(s) {
		lent.Add(1)
		go t.lendThread(&lent)
	}
	lent.Wait() // otherwise the library would wait 10 s for late threads
	go func() {
		runtime.LockOSThread() // the library keeps the order of log entries only within a thread
		defer runtime.UnlockOSThread()
		done <- t.runTest(s, files, sutName, qslName, entered)
	}()
	end := t.awaitEnd(entered, done)
	if !end.natural {
		abandon(t.loaded)
		return context.Cause(t.ctx)
	}
	return errors.Join(libraryFault(end.err), protocolFault(t.ctx))
}

// testOutcome describes the end of the library's test. natural is false if the test had to be abandoned.
type testOutcome struct {
	natural bool
	err     error
}

// runTest calls the library's StartTest. It closes entered when the library can be abandoned.
func (t *testRun) runTest(
	s loadgen.TestSettings, files *logFiles, sutName, qslName string, entered chan<- struct{},
) testOutcome {
	test := &C.official_test{settings: toSettings(s)}
	test.total_samples, test.performance_samples = C.uint64_t(t.qsl.TotalSampleCount()),
		C.uint64_t(t.qsl.PerformanceSampleCount())
	free := files.fillStrings(test, sutName, qslName)
	c, err := newCoroutine(t.loaded, test)
	if err != nil {
		close(entered)
		return testOutcome{true, err}
	}
	c.resume()
	close(entered)
	natural, err := t.driveCoroutine(c)
	if natural {
		free()
	}
	return testOutcome{natural, err}
}

// lendThread lends the library a thread that issues queries. It calls lent.Done just before the thread enters the
// library.
func (t *testRun) lendThread(lent *sync.WaitGroup) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := newCoroutine(t.loaded, nil)
	lent.Done()
	if err != nil {
		t.failTest(err)
		return
	}
	c.resume()
	_, _ = t.driveCoroutine(c) // an issue thread returns no error
}

// answerGrace is the time that pending answers have to reach the library.
const answerGrace = 100 * time.Millisecond

// awaitEnd waits for the test's end. If the context ends, it lets the library finish only if no answers are missing.
func (t *testRun) awaitEnd(entered <-chan struct{}, done <-chan testOutcome) testOutcome {
	select {
	case end := <-done:
		return end
	case <-t.ctx.Done():
	}
	t.ended.Store(true)
	<-entered
	for {
		select {
		case end := <-done:
			return end
		case <-time.After(answerGrace):
			if !t.isComplete() {
				return testOutcome{}
			}
		}
	}
}

// protocolFault returns the SUT's protocol error that ended the context, or nil.
func protocolFault(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, loadgen.ErrProtocol) {
		return cause
	}
	return nil
}

func libraryFault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the official LoadGen failed: %w", err)
}

// issueThreads returns the number of threads that a test lends to the library.
func issueThreads(s loadgen.TestSettings) uint64 {
	if s.Scenario != loadgen.Server {
		return 0
	}
	return s.ServerNumIssueQueryThreads
}

// fillStrings writes the test's strings. The caller must call free when the library no longer uses them.
func (f *logFiles) fillStrings(test *C.official_test, sutName, qslName string) (free func()) {
	var all []unsafe.Pointer
	text := func(s string) *C.char {
		c := C.CString(s)
		all = append(all, unsafe.Pointer(c))
		return c
	}
	test.sut_name, test.qsl_name = text(sutName), text(qslName)
	test.out_dir, test.prefix, test.suffix = text(f.dir), text(f.prefix), text(f.suffix)
	test.audit_config = text(f.audit)
	test.enable_trace = toFlag(f.trace)
	return func() {
		for _, p := range all {
			C.free(p)
		}
	}
}

func toFlag(on bool) C.int64_t {
	if on {
		return 1
	}
	return 0
}
