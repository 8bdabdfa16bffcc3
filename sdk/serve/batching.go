package serve

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// maxSizes is the maximum number of batch sizes in a report.
const maxSizes = 1000

// batchingReport reports how samples became batches. If a generator forms the batches, it reports none, because the
// scheduler passes it one prompt at a time.
func (w *openedWorkload) batchingReport() sdk.BatchingReport {
	work := w.scheduler.Work()
	b := sdk.BatchingReport{Waiting: sampleTimes(work.Waiting), Model: sampleTimes(work.Model)}
	if _, ok := w.workload.(sdk.Generative); !ok {
		b.Sizes = batchSizes(work.Batches)
	}
	return b
}

// batchSizes lists the sizes that occurred. If there are too many, it merges neighbours under the largest size among
// them.
func batchSizes(batches []uint64) (all []sdk.BatchSize) {
	different := 0
	for _, n := range batches {
		if n > 0 {
			different++
		}
	}
	step := 1
	if different > maxSizes {
		step = (len(batches) + maxSizes - 1) / maxSizes
	}
	for size, n := range batches {
		if n == 0 {
			continue
		}
		size = (size + step - 1) / step * step
		if last := len(all) - 1; last >= 0 && all[last].Samples == size {
			all[last].Batches += n
			continue
		}
		all = append(all, sdk.BatchSize{Samples: size, Batches: n})
	}
	return all
}

// sampleTimes returns the reported times of samples, with LoadGen's percentiles.
func sampleTimes(t batch.TimeSummary) sdk.SampleTimes {
	out := sdk.SampleTimes{Count: t.Count, Min: t.Min, Max: t.Max, Mean: t.Mean}
	if t.Count > 0 {
		for _, p := range []float64{.5, .9, .95, .97, .99, .999} {
			out.Percentiles = append(out.Percentiles, sdk.TimeAt{P: p, At: t.At(p)})
		}
	}
	return out
}
