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

// coroutine is a thread of the library. After resume it runs until its next call.
type coroutine struct {
	c     *C.official_coroutine
	call  *C.official_call      // the call that it waits for; nil before the first resume
	query []loadgen.QuerySample // buffer for the issued samples
}

// newCoroutine makes a coroutine that runs test. If test is nil, the coroutine is an issue thread.
func newCoroutine(loaded *C.official_loadgen, test *C.official_test) (*coroutine, error) {
	c := C.official_coroutine_new(loaded, test)
	if c == nil {
		return nil, errors.New("there is no memory for the official LoadGen's stack")
	}
	return &coroutine{c: c}, nil
}

func (c *coroutine) resume() { c.call = C.official_resume(c.c) }

func (c *coroutine) ended() bool { return c.call.kind == C.OFFICIAL_ENDED }

// close frees a coroutine that has ended, and returns its error.
func (c *coroutine) close() (err error) {
	if fault := c.call.fault; fault != nil {
		err = errors.New(C.GoString(fault))
		C.free(unsafe.Pointer(fault))
	}
	C.official_coroutine_free(c.c)
	return err
}

// samples returns the samples to issue. The library owns the slice, which is valid until the next resume.
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
