//go:build officialloadgen && cgo

package official

/*
#include <stdlib.h>
#include "coroutine.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// coroutine is a thread of the library, which runs when it is resumed, up to its next call.
type coroutine struct {
	c     *C.official_coroutine
	call  *C.official_call      // what it waits for; of one that was never resumed: nil
	query []loadgen.QuerySample // buffer of what is issued
}

// newCoroutine makes a coroutine that runs a test; of nil it is an issue thread.
func newCoroutine(loaded *C.official_loadgen, test *C.official_test) (*coroutine, error) {
	c := C.official_coroutine_new(loaded, test)
	if c == nil {
		return nil, errors.New("there is no memory for the official LoadGen's stack")
	}
	return &coroutine{c: c}, nil
}

func (c *coroutine) resume() { c.call = C.official_resume(c.c) }

func (c *coroutine) ended() bool { return c.call.kind == C.OFFICIAL_ENDED }

// close frees a coroutine that has ended, and returns what went wrong in it.
func (c *coroutine) close() (err error) {
	if fault := c.call.fault; fault != nil {
		err = errors.New(C.GoString(fault))
		C.free(unsafe.Pointer(fault))
	}
	C.official_coroutine_free(c.c)
	return err
}

// samples are those to issue, indices those to load or unload. They are the library's, until it is resumed.
func (c *coroutine) samples() []C.official_sample {
	return unsafe.Slice(c.call.samples, int(c.call.count))
}

func (c *coroutine) indices() []loadgen.SampleIndex {
	out := make([]loadgen.SampleIndex, c.call.count)
	for i, v := range unsafe.Slice(c.call.indices, len(out)) {
		out[i] = loadgen.SampleIndex(v)
	}
	return out
}
