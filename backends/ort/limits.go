package ort

import (
	"runtime"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// planThreads divides the cores: how many threads one Run has, and how many runs at a time are worth making. One thread
// for each of many runs beats many threads for one: no thread waits for another inside an operator.
//
// An accelerator computes by itself, one run after the other: a second run copies its tensors meanwhile.
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

// acceleratorRuns is how many runs at a time an accelerator gets, where neither the user nor the sdk says.
const acceleratorRuns = 2

// coreCount is how many cores the session has to itself.
func (s ortSettings) coreCount() int {
	if n := s.device.cores.count(); n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// cpuBatch is the batch that a run on the CPU should have where latency counts as well as throughput. Measured on
// 2 cores with 2 MiB of L2 each, one thread a run: a model of 18 MB at 224 x 224 pixels makes 367 samples/s at
// batch 1, 374 at 2, 261 at 8 and 212 at 32, because the activations of larger batches no longer fit the caches;
// one of 3 MB makes 1040, 1240 and 1340 at batches 1, 2 and 8, but each batch of 8 then takes 12 ms, which
// Server's limits do not allow for.
const cpuBatch = 2

// sessionLimits are the session's preferences. A model whose batch dimension is fixed runs best with that
// many samples, and takes no more.
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
