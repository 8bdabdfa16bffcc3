package ort

import (
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// affinitiesKey is ONNX Runtime's entry for the cores of its own threads of a run, numbered from 1.
const affinitiesKey = "session.intra_op_thread_affinities"

// spreadThreads gives each thread of a run a core of its own, where there is one run at a time and it has as many
// threads as cores: the first is that of the thread that calls. Else it is empty.
//
// The threads of a run wait for one another at each operator. Left to the system, two of them share a core for some
// milliseconds now and then: where one is woken while something else, however short, has the other core.
func (s ortSettings) spreadThreads(threads, concurrency int) (own []int) {
	cores := s.device.cores
	if cores.count() == 0 {
		var err error
		if cores, err = allowedCores(); err != nil {
			return nil // of a system that binds no threads
		}
	}
	_, given := s.config[affinitiesKey]
	if !s.bind || given || concurrency != 1 || s.interOp > 1 || threads < 2 || threads != cores.count() ||
		s.provider != defaultProvider {
		return nil
	}
	for core := range maxCores {
		if cores.has(core) {
			own = append(own, core)
		}
	}
	return own
}

// affinityString names cores as ONNX Runtime does.
func affinityString(own []int) string {
	return strings.Join(lists.Map(own, func(core int) string { return strconv.Itoa(core + 1) }), ";")
}
