//go:build officialloadgen && cgo

package official

/*
#include "shim/shim.h"
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// responseArgs holds the arguments of one call that passes responses to the library. Their payloads are pinned until
// release.
type responseArgs struct {
	list []C.official_response
	pins runtime.Pinner
}

var spareArgs = sync.Pool{New: func() any { return new(responseArgs) }}

// add adds a response under the library's id.
func (a *responseArgs) add(official uintptr, r *loadgen.QuerySampleResponse) {
	response := C.official_response{
		id: C.uintptr_t(official), size: C.size_t(len(r.Data)), n_tokens: C.int64_t(r.NTokens),
	}
	if len(r.Data) > 0 {
		data := unsafe.SliceData(r.Data)
		a.pins.Pin(data)
		response.data = C.uintptr_t(uintptr(unsafe.Pointer(data)))
	}
	a.list = append(a.list, response)
}

// release unpins the payloads and returns the arguments to the pool.
func (a *responseArgs) release() {
	a.pins.Unpin()
	a.list = a.list[:0]
	spareArgs.Put(a)
}

// QuerySamplesComplete implements loadgen.Responder.
func (t *testRun) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	if t.reporter != nil {
		t.reporter.enqueue(false, rs)
		return
	}
	t.complete(rs)
}

// FirstTokenComplete implements loadgen.Responder. It records first tokens only in runs with token latencies.
func (t *testRun) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	if t.reporter != nil {
		t.reporter.enqueue(true, rs)
	}
}

// complete passes the responses of samples to the library.
func (t *testRun) complete(rs []loadgen.QuerySampleResponse) {
	a := spareArgs.Get().(*responseArgs)
	defer a.release()
	var tokens int64
	for i := range rs {
		official := t.ids.take(rs[i].ID)
		if official == 0 {
			t.failTest(errWrongID(rs[i].ID, t.issued.Load()))
			continue
		}
		a.add(official, &rs[i])
		tokens += rs[i].NTokens
	}
	if len(a.list) == 0 || t.ended.Load() {
		return
	}
	if t.reporter != nil {
		t.tokens.Add(tokens)
	}
	completeSamples(t.loaded, a.list)
	t.countAnswers(len(a.list))
}

// firstTokens passes the first tokens of samples to the library.
func (t *testRun) firstTokens(rs []loadgen.QuerySampleResponse) {
	a := spareArgs.Get().(*responseArgs)
	defer a.release()
	for i := range rs {
		official := t.ids.get(rs[i].ID)
		if official == 0 {
			t.failTest(errWrongID(rs[i].ID, t.issued.Load()))
			continue
		}
		a.add(official, &rs[i])
	}
	if len(a.list) > 0 && !t.ended.Load() {
		completeFirstTokens(t.loaded, a.list)
	}
}
