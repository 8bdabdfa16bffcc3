//go:build officialloadgen && cgo

package official

/*
#include "shim/shim.h"
*/
import "C"

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// run is one test under way: what the library calls, and the Responder that calls it.
type run struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	loaded *C.official_loadgen
	sut    loadgen.SUT
	qsl    loadgen.QSL
	warm   bool    // before the first series
	teller *teller // of a token run; else nil

	ids      ids
	issued   atomic.Uint64 // samples
	queries  atomic.Uint64
	answered atomic.Uint64
	tokens   atomic.Int64 // of the series under way
	flushed  atomic.Bool  // the series under way is issued
	began    time.Time

	// ended lets nothing reach the library any more; a call from it then parks its thread for ever.
	ended   atomic.Bool
	entered event // the library has begun
	parked  event
	phase   atomic.Int32
}

// event happens once.
type event struct {
	once sync.Once
	at   chan struct{}
}

func newEvent() event { return event{at: make(chan struct{})} }

func (e *event) happen() { e.once.Do(func() { close(e.at) }) }

// park never returns: the library must not go on with a test that has failed.
func (t *run) park() {
	t.parked.happen()
	select {}
}

// fail ends the test for a reason of its own.
func (t *run) fail(err error) {
	t.cancel(err)
	t.ended.Store(true)
}

// gate is where each call of the library comes in.
func (t *run) gate() {
	t.entered.happen()
	if t.ended.Load() {
		t.park()
	}
}

// check fails the test where a call of the library led to an error.
func (t *run) check(what string, err error) {
	if err != nil {
		t.fail(fmt.Errorf("%s: %w", what, err))
		t.park()
	}
}

// samples are buffers for the samples of a query.
var samples = sync.Pool{New: func() any { return new([]loadgen.QuerySample) }}

func (t *run) issue(official []C.official_sample) {
	t.gate()
	n := len(official)
	first := t.issued.Add(uint64(n)) - uint64(n)
	t.queries.Add(1)
	buffer := samples.Get().(*[]loadgen.QuerySample)
	query := (*buffer)[:0]
	for i, s := range official {
		id := loadgen.ResponseID(first + uint64(i))
		t.ids.put(id, uintptr(s.id))
		query = append(query, loadgen.QuerySample{ID: id, Index: loadgen.SampleIndex(s.index)})
	}
	err := t.sut.IssueQuery(t.ctx, loadgen.Query{Samples: query}, t)
	if err != nil {
		t.check("IssueQuery", err)
	}
	*buffer = query
	samples.Put(buffer)
}

func (t *run) flush() {
	t.gate()
	t.flushed.Store(true)
	t.check("FlushQueries", t.sut.FlushQueries(t.ctx))
}

func (t *run) load(indices []C.size_t) {
	t.gate()
	t.phase.Store(int32(loadgen.PhaseLoading))
	t.check("LoadSamplesToRAM", t.qsl.LoadSamplesToRAM(t.ctx, set(indices)))
	if warmer, ok := t.sut.(loadgen.Warmer); ok && t.warm {
		t.phase.Store(int32(loadgen.PhaseWarmUp))
		t.check("WarmUp", warmer.WarmUp(t.ctx))
	}
	t.warm = false
	t.flushed.Store(false)
	t.tokens.Store(0)
	t.phase.Store(int32(loadgen.PhaseIssuing))
}

func (t *run) unload(indices []C.size_t) {
	t.gate()
	t.check("UnloadSamplesFromRAM", t.qsl.UnloadSamplesFromRAM(t.ctx, set(indices)))
}

func set(indices []C.size_t) []loadgen.SampleIndex {
	out := make([]loadgen.SampleIndex, len(indices))
	for i, v := range indices {
		out[i] = loadgen.SampleIndex(v)
	}
	return out
}

// finished says that the library has all answers of the series under way, which is issued: it goes on by itself.
func (t *run) finished() bool { return t.flushed.Load() && t.answered.Load() == t.issued.Load() }

// settle is how long answers that are on their way into the library may take to reach it.
const settle = 100 * time.Millisecond

// stop ends the test from outside, for the cause of its context: the library's logs end where they are. It returns
// what done gives where the library had come to its end.
func (t *run) stop(done <-chan error) (err error, natural bool) {
	t.ended.Store(true)
	select {
	case <-t.entered.at:
	case err := <-done:
		return err, true
	}
	for {
		select {
		case err := <-done:
			return err, true
		case <-t.parked.at:
			return nil, false
		case <-time.After(settle):
			if !t.finished() {
				return nil, false
			}
		}
	}
}

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

func samplesOf[T any](first *T, n C.size_t) []T { return unsafe.Slice(first, int(n)) }
