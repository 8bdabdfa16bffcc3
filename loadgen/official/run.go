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

// run is one test under way: what the library's calls do, and the Responder of the SUT.
type run struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	loaded *C.official_loadgen
	sut    loadgen.SUT
	qsl    loadgen.QSL
	warm   bool    // before the first series
	teller *teller // of a token run; else nil
	ascent *ascent // of a search; else nil
	// oneByOne says that the library issues no query before the last one is answered.
	oneByOne bool

	ids      ids
	issued   atomic.Uint64 // samples
	queries  atomic.Uint64
	answered atomic.Uint64 // samples whose answers the library has
	all      chan struct{} // holds one when all samples that were issued are answered, or were a moment ago
	tokens   atomic.Int64  // of the series under way
	flushed  atomic.Bool   // the series under way is issued
	began    time.Time

	ended atomic.Bool // the library gets nothing any more
	phase atomic.Int32
}

// fail ends the test for a reason of its own.
func (t *run) fail(err error) {
	t.cancel(err)
	t.ended.Store(true)
}

// drive resumes a coroutine, whose first call has come, and does what it calls, until it ends; else the test has
// ended, and the coroutine stays where it is for good: the library has no way out.
func (t *run) drive(c *coroutine) (ended bool, err error) {
	for !c.ended() {
		if t.ended.Load() {
			return false, nil
		}
		if err := t.serve(c); err != nil {
			t.fail(err)
			return false, nil
		}
		c.resume()
	}
	return true, c.close()
}

// serve does what a coroutine calls.
func (t *run) serve(c *coroutine) error {
	switch c.call.kind {
	case C.OFFICIAL_ISSUE:
		return t.issue(c)
	case C.OFFICIAL_FLUSH:
		t.flushed.Store(true)
		return fault("FlushQueries", t.sut.FlushQueries(t.ctx))
	case C.OFFICIAL_LOAD:
		return t.load(c.indices())
	}
	return fault("UnloadSamplesFromRAM", t.qsl.UnloadSamplesFromRAM(t.ctx, c.indices()))
}

func (t *run) issue(c *coroutine) error {
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
		return fault("IssueQuery", err)
	}
	return t.await()
}

// await waits until all samples that were issued are answered. The library would wait by itself, on a thread that the
// answer then has to wake; here the goroutine goes on where the answer came in.
func (t *run) await() error {
	for t.answered.Load() < t.issued.Load() {
		runtime.UnlockOSThread()
		select {
		case <-t.all:
		case <-t.ctx.Done():
		}
		runtime.LockOSThread()
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
	}
	return nil
}

// took notes that the library has n more answers.
func (t *run) took(n int) {
	if t.answered.Add(uint64(n)) != t.issued.Load() || !t.oneByOne {
		return
	}
	select {
	case t.all <- struct{}{}:
	default:
	}
}

func (t *run) load(indices []loadgen.SampleIndex) error {
	if t.ascent != nil {
		if err := t.ascent.load(); err != nil {
			return err
		}
	}
	t.phase.Store(int32(loadgen.PhaseLoading))
	if err := t.qsl.LoadSamplesToRAM(t.ctx, indices); err != nil {
		return fault("LoadSamplesToRAM", err)
	}
	if warmer, ok := t.sut.(loadgen.Warmer); ok && t.warm {
		t.phase.Store(int32(loadgen.PhaseWarmUp))
		if err := warmer.WarmUp(t.ctx); err != nil {
			return fault("WarmUp", err)
		}
	}
	t.warm = false
	t.flushed.Store(false)
	t.tokens.Store(0)
	t.phase.Store(int32(loadgen.PhaseIssuing))
	return nil
}

// fault says what led to an error, if there is one.
func fault(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// finished says that the library has all answers of the series under way, which is issued: it goes on by itself.
func (t *run) finished() bool { return t.flushed.Load() && t.answered.Load() == t.issued.Load() }

func (t *run) snapshot() loadgen.ProgressSnapshot {
	return loadgen.ProgressSnapshot{
		Phase: loadgen.Phase(t.phase.Load()), Mode: loadgen.PerformanceOnly, Elapsed: time.Since(t.began),
		Queries: t.queries.Load(), Issued: t.issued.Load(), Done: t.answered.Load(),
	}
}

// wrongID is a breach of the contract of a SUT.
func wrongID(id loadgen.ResponseID, issued uint64) error {
	if uint64(id) >= issued {
		return fmt.Errorf("%w: it answered response id %d, which was not issued (%d were): answer each sample under the ID "+
			"of its QuerySample", loadgen.ErrProtocol, id, issued)
	}
	return fmt.Errorf("%w: it answered response id %d again: answer each sample once", loadgen.ErrProtocol, id)
}
