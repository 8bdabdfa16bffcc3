//go:build officialloadgen && cgo

package official

/*
#include "shim/shim.h"
*/
import "C"

import "runtime/cgo"

func runOf(handle C.uintptr_t) *run { return cgo.Handle(handle).Value().(*run) }

//export plumblineOfficialIssue
func plumblineOfficialIssue(handle C.uintptr_t, samples *C.official_sample, n C.size_t) {
	runOf(handle).issue(samplesOf(samples, n))
}

//export plumblineOfficialFlush
func plumblineOfficialFlush(handle C.uintptr_t) { runOf(handle).flush() }

//export plumblineOfficialLoad
func plumblineOfficialLoad(handle C.uintptr_t, indices *C.size_t, n C.size_t) {
	runOf(handle).load(samplesOf(indices, n))
}

//export plumblineOfficialUnload
func plumblineOfficialUnload(handle C.uintptr_t, indices *C.size_t, n C.size_t) {
	runOf(handle).unload(samplesOf(indices, n))
}
