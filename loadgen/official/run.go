//go:build officialloadgen && cgo

package official

/*
#include "coroutine.h"
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// testRun is one test in progress. It serves the library's calls and is the SUT's Responder.
type testRun struct {
	ctx         context.Context
	cancel      context.CancelCauseFunc
	loaded      *C.official_loadgen
	sut         loadgen.SUT
	qsl         loadgen.QSL
	needsWarmUp bool        // the SUT has to warm up: true before the first series
	reporter    *reporter   // set in a token run
	ascent      *rateAscent // set in a search
	// oneByOne reports that the library issues a query only after the answer to the previous one.
	oneByOne bool

	ids         idTable
	issued      atomic.Uint64 // samples
	queries     atomic.Uint64
	answered    atomic.Uint64 // number of samples whose answers the library has
	allAnswered chan struct{} // receives a value when all issued samples are answered; the value may be outdated
	tokens      atomic.Int64  // number of tokens of the current series
	flushed     atomic.Bool   // all queries of the current series are issued
	started     time.Time

	ended atomic.Bool // the library gets no more calls
	phase atomic.Int32
}

// failTest cancels the test's context with err.
func (t *testRun) failTest(err error) {
	t.cancel(err)
	t.ended.Store(true)
}

// driveCoroutine resumes a coroutine after its first call and serves its calls until it ends. If the test ends first,
// drive returns false and leaves the coroutine suspended for good, because the library cannot be interrupted.
func (t *testRun) driveCoroutine(c *coroutine) (ended bool, err error) {
	for !c.ended() {
		if t.ended.Load() {
			return false, nil
		}
		if err := t.serveCall(c); err != nil {
			t.failTest(err)
			return false, nil
		}
		c.resume()
	}
	return true, c.close()
}

// serveCall executes the pending call of a coroutine.
func (t *testRun) serveCall(c *coroutine) error {
	switch c.call.kind {
	case C.OFFICIAL_ISSUE:
		return t.issueQuery(c)
	case C.OFFICIAL_FLUSH:
		t.flushed.Store(true)
		return wrapFault("FlushQueries", t.sut.FlushQueries(t.ctx))
	case C.OFFICIAL_LOAD:
		return t.loadSamples(c.indices())
	}
	return wrapFault("UnloadSamplesFromRAM", t.qsl.UnloadSamplesFromRAM(t.ctx, c.indices()))
}

func (t *testRun) issueQuery(c *coroutine) error {
	official := c.samples()
	first := t.issued.Add(uint64(len(official))) - uint64(len(official))
	t.queries.Add(1)
	query := c.query[:0]
	for i, s := range official {
		id := loadgen.ResponseID(first + uint64(i))
		t.ids.put(id, uintptr(s.id))
		query = append(query, loadgen.QuerySample{ID: id, Index: loadgen.SampleIndex(s.index)})
	}
	c.query = query
	err := t.sut.IssueQuery(t.ctx, loadgen.Query{Samples: query}, t)
	if err != nil || !t.oneByOne {
		return wrapFault("IssueQuery", err)
	}
	return t.awaitAnswers()
}

// awaitAnswers waits until all issued samples are answered. The library could wait itself, but an answer would then
// have to wake its thread. Here the goroutine continues on the thread of the answer.
func (t *testRun) awaitAnswers() error {
	for t.answered.Load() < t.issued.Load() {
		runtime.UnlockOSThread()
		select {
		case <-t.allAnswered:
		case <-t.ctx.Done():
		}
		runtime.LockOSThread()
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
	}
	return nil
}

// countAnswers records that the library has n more answers.
func (t *testRun) countAnswers(n int) {
	if t.answered.Add(uint64(n)) != t.issued.Load() || !t.oneByOne {
		return
	}
	select {
	case t.allAnswered <- struct{}{}:
	default:
	}
}

func (t *testRun) loadSamples(indices []loadgen.SampleIndex) error {
	if t.ascent != nil {
		if err := t.ascent.noteLoaded(); err != nil {
			return err
		}
	}
	t.phase.Store(int32(loadgen.PhaseLoading))
	if err := t.qsl.LoadSamplesToRAM(t.ctx, indices); err != nil {
		return wrapFault("LoadSamplesToRAM", err)
	}
	if warmer, ok := t.sut.(loadgen.Warmer); ok && t.needsWarmUp {
		t.phase.Store(int32(loadgen.PhaseWarmUp))
		if err := warmer.WarmUp(t.ctx); err != nil {
			return wrapFault("WarmUp", err)
		}
	}
	t.needsWarmUp = false
	t.flushed.Store(false)
	t.tokens.Store(0)
	t.phase.Store(int32(loadgen.PhaseIssuing))
	return nil
}

// wrapFault puts the name of the failed call before err. It returns nil if err is nil.
func wrapFault(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// isComplete reports whether the current series is issued and the library has all its answers. The library then
// continues without another call.
func (t *testRun) isComplete() bool { return t.flushed.Load() && t.answered.Load() == t.issued.Load() }

func (t *testRun) snapshot() loadgen.ProgressSnapshot {
	return loadgen.ProgressSnapshot{
		Phase: loadgen.Phase(t.phase.Load()), Mode: loadgen.PerformanceOnly, Elapsed: time.Since(t.started),
		Queries: t.queries.Load(), Issued: t.issued.Load(), Done: t.answered.Load(),
	}
}

// errWrongID returns the error for a response with an unknown id or a second response for the same sample.
func errWrongID(id loadgen.ResponseID, issued uint64) error {
	if uint64(id) >= issued {
		return fmt.Errorf("%w: it answered response id %d, which was not issued (%d were): answer each sample under the ID "+
			"of its QuerySample", loadgen.ErrProtocol, id, issued)
	}
	return fmt.Errorf("%w: it answered response id %d again: answer each sample once", loadgen.ErrProtocol, id)
}
