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

// StartTest runs one test as loadgen.StartTest does, and returns what the library's logs say of it. Of l it uses the
// folder, which it needs, the prefix and the suffix, the trace, the audit settings (which s must hold already),
// and Progress, which shows counts alone.
//
// When ctx ends the library's logs end where they are, and are marked as aborted.
func (l *Library) StartTest(ctx context.Context, sut loadgen.SUT, qsl loadgen.QSL, s loadgen.TestSettings,
	logs loadgen.LogSettings) (*loadgen.Result, error) {
	effective, err := check(sut, qsl, s, logs)
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
	t := &run{
		ctx: ctx, cancel: cancel, loaded: loaded, sut: sut, qsl: qsl, began: time.Now(),
		warm:     effective.Mode != loadgen.AccuracyOnly,
		oneByOne: s.Scenario == loadgen.SingleStream || s.Scenario == loadgen.MultiStream, all: make(chan struct{}, 1),
	}
	if effective.Mode == loadgen.FindPeakPerformance {
		t.ascent = ascentOf(s)
	}
	if s.UseTokenLatencies {
		defer startTeller(t)()
	}
	if logs.Progress != nil {
		logs.Progress.Follow(t.snapshot)
	}
	result := &loadgen.Result{SUTName: sut.Name(), QSLName: qsl.Name(), Requested: s, Effective: effective}
	err = t.perform(s, files, result.SUTName, result.QSLName)
	if err != nil {
		result.Started, result.Duration = t.began, time.Since(t.began)
		result.QueryCount, result.SampleCount = t.queries.Load(), t.issued.Load()
	}
	result, err = files.result(result, err)
	if result.Tokens != nil {
		result.Tokens.Count = uint64(t.tokens.Load())
	}
	return result, err
}

// perform runs the test to its end, or to that of its context, whose cause it then returns.
func (t *run) perform(s loadgen.TestSettings, files *logFiles, sutName, qslName string) error {
	entered, done := make(chan struct{}), make(chan outcome, 1)
	var lent sync.WaitGroup
	for range issueThreads(s) {
		lent.Add(1)
		go t.lend(&lent)
	}
	lent.Wait() // the library would wait for threads that come late for 10 s
	go func() {
		runtime.LockOSThread() // the library keeps the order of what one thread logs
		defer runtime.UnlockOSThread()
		done <- t.test(s, files, sutName, qslName, entered)
	}()
	end := t.wait(entered, done)
	if !end.natural {
		abandon(t.loaded)
		return context.Cause(t.ctx)
	}
	return errors.Join(libraryFault(end.err), failure(t.ctx))
}

// outcome is how the library's test ended: by itself, perhaps with an error, or not at all.
type outcome struct {
	natural bool
	err     error
}

// test runs the library's StartTest. It closes entered when the library can be abandoned.
func (t *run) test(s loadgen.TestSettings, files *logFiles, sutName, qslName string, entered chan<- struct{}) outcome {
	test := &C.official_test{settings: settings(s)}
	test.total_samples, test.performance_samples = C.uint64_t(t.qsl.TotalSampleCount()),
		C.uint64_t(t.qsl.PerformanceSampleCount())
	free := files.fill(test, sutName, qslName)
	c, err := newCoroutine(t.loaded, test)
	if err != nil {
		close(entered)
		return outcome{true, err}
	}
	c.resume()
	close(entered)
	natural, err := t.drive(c)
	if natural {
		free()
	}
	return outcome{natural, err}
}

// lend lends the library a thread to issue queries from. It says so when that is about to enter.
func (t *run) lend(lent *sync.WaitGroup) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := newCoroutine(t.loaded, nil)
	lent.Done()
	if err != nil {
		t.fail(err)
		return
	}
	c.resume()
	_, _ = t.drive(c) // an issue thread has no error of its own
}

// settle is how long answers that are on their way into the library may take to reach it.
const settle = 100 * time.Millisecond

// wait waits for the end. When the context ends it lets the library come to its end only where nothing is awaited.
func (t *run) wait(entered <-chan struct{}, done <-chan outcome) outcome {
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
		case <-time.After(settle):
			if !t.finished() {
				return outcome{}
			}
		}
	}
}

// failure is what the test itself ended its context for.
func failure(ctx context.Context) error {
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

// issueThreads is how many threads a test lends to the library.
func issueThreads(s loadgen.TestSettings) uint64 {
	if s.Scenario != loadgen.Server {
		return 0
	}
	return s.ServerNumIssueQueryThreads
}

// fill writes the strings of a test, which the function that it returns frees.
func (f *logFiles) fill(test *C.official_test, sutName, qslName string) (free func()) {
	var all []unsafe.Pointer
	text := func(s string) *C.char {
		c := C.CString(s)
		all = append(all, unsafe.Pointer(c))
		return c
	}
	test.sut_name, test.qsl_name = text(sutName), text(qslName)
	test.out_dir, test.prefix, test.suffix = text(f.dir), text(f.prefix), text(f.suffix)
	test.audit_config = text(f.audit)
	test.enable_trace = flag(f.trace)
	return func() {
		for _, p := range all {
			C.free(p)
		}
	}
}

func flag(on bool) C.int64_t {
	if on {
		return 1
	}
	return 0
}
