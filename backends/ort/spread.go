package ort

import (
	"strconv"
	"strings"
)

// affinitiesKey is ONNX Runtime's config entry for the cores of its own threads of a run, numbered from 1.
const affinitiesKey = "session.intra_op_thread_affinities"

// spreadThreads assigns a core to each thread of a run if there is one run at a time with as many threads as cores. The
// first core is for the calling thread. Otherwise it returns nil.
//
// The threads of a run wait for one another at each operator. If the system schedules them freely, two threads
// occasionally share a core for some milliseconds, when one is woken while another task briefly uses the other core.
func (s ortSettings) spreadThreads(threads, concurrency int) (own []int) {
	cores := s.device.cores
	if cores.count() == 0 {
		var err error
		if cores, err = allowedCores(); err != nil {
			return nil // the system cannot bind threads
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

// affinityString returns a list of cores in ONNX Runtime's form.
func affinityString(own []int) string {
	cores := make([]string, len(own))
	for i, core := range own {
		cores[i] = strconv.Itoa(core + 1)
	}
	return strings.Join(cores, ";")
}
