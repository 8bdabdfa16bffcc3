package ort

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// planThreads determines the number of threads per Run and the number of concurrent runs. One thread for each of many
// runs is faster than many threads for one run, because threads do not wait for one another within an operator.
//
// An accelerator executes one run after another. A second run copies its tensors meanwhile.
func (s ortSettings) planThreads(c backend.Config) (threads, concurrency int) {
	cores := s.coreCount()
	threads, concurrency = s.threads, c.Concurrency
	if threads == 0 && c.LowLatency {
		threads = cores
	}
	if concurrency == 0 && s.provider != defaultProvider {
		concurrency, threads = acceleratorRuns, max(1, threads)
	}
	if concurrency == 0 {
		concurrency = max(1, cores/max(1, threads))
	}
	if threads == 0 {
		threads = max(1, cores/concurrency)
	}
	return threads, concurrency
}

// acceleratorRuns is the default number of concurrent runs on an accelerator.
const acceleratorRuns = 2

// coreCount returns the number of cores that the session may use.
func (s ortSettings) coreCount() int {
	if n := s.device.cores.count(); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// cpuBatch is the preferred batch of a run on the CPU, where latency and throughput both matter. On 2 cores with 2 MiB
// of L2 each and one thread per run, a model of 18 MB at 224 x 224 pixels was measured at 367 samples/s with batch 1,
// 374 with 2, 261 with 8 and 212 with 32, because the activations of larger batches no longer fit the caches. A model
// of 3 MB reached 1040, 1240 and 1340 with batches 1, 2 and 8, but each batch of 8 then takes 12 ms, which exceeds
// Server's limits.
const cpuBatch = 2

// sessionLimits returns the session's preferences. For a model with a fixed batch dimension, that number of samples is
// the preferred and the maximum batch.
func sessionLimits(s ortSettings, p sessionPorts, concurrency int) backend.Limits {
	l := backend.Limits{Concurrency: concurrency, Native: true}
	if s.provider == defaultProvider {
		l.PreferredBatch = cpuBatch
	}
	if p.batch > 0 {
		l.PreferredBatch, l.MaxBatch = int(p.batch), int(p.batch)
	}
	return l
}
