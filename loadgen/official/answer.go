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

// answers holds the arguments of one call that passes responses to the library. Their payloads are pinned until
// release.
type answers struct {
	list []C.official_response
	pins runtime.Pinner
}

var spareAnswers = sync.Pool{New: func() any { return new(answers) }}

// add adds a response under the library's id.
func (a *answers) add(official uintptr, r *loadgen.QuerySampleResponse) {
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
func (a *answers) release() {
	a.pins.Unpin()
	a.list = a.list[:0]
	spareAnswers.Put(a)
}

// QuerySamplesComplete implements loadgen.Responder.
func (t *run) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	if t.teller != nil {
		t.teller.say(false, rs)
		return
	}
	t.complete(rs)
}

// FirstTokenComplete implements loadgen.Responder. It records first tokens only in runs with token latencies.
func (t *run) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	if t.teller != nil {
		t.teller.say(true, rs)
	}
}

// complete passes the responses of samples to the library.
func (t *run) complete(rs []loadgen.QuerySampleResponse) {
	a := spareAnswers.Get().(*answers)
	defer a.release()
	var tokens int64
	for i := range rs {
		official := t.ids.take(rs[i].ID)
		if official == 0 {
			t.fail(wrongID(rs[i].ID, t.issued.Load()))
			continue
		}
		a.add(official, &rs[i])
		tokens += rs[i].NTokens
	}
	if len(a.list) == 0 || t.ended.Load() {
		return
	}
	if t.teller != nil {
		t.tokens.Add(tokens)
	}
	complete(t.loaded, a.list)
	t.took(len(a.list))
}

// firstTokens passes the first tokens of samples to the library.
func (t *run) firstTokens(rs []loadgen.QuerySampleResponse) {
	a := spareAnswers.Get().(*answers)
	defer a.release()
	for i := range rs {
		official := t.ids.get(rs[i].ID)
		if official == 0 {
			t.fail(wrongID(rs[i].ID, t.issued.Load()))
			continue
		}
		a.add(official, &rs[i])
	}
	if len(a.list) > 0 && !t.ended.Load() {
		firstTokens(t.loaded, a.list)
	}
}
