package serve

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// maxSizes is how many sizes of batches are told apart.
const maxSizes = 1000

// batchingReport reports how samples became batches. A generator's are its own: the scheduler hands it one prompt after
// the other.
func (w *openedWorkload) batchingReport() sdk.BatchingReport {
	work := w.scheduler.Work()
	b := sdk.BatchingReport{Waiting: sampleTimes(work.Waiting), Model: sampleTimes(work.Model)}
	if _, ok := w.workload.(sdk.Generative); !ok {
		b.Sizes = batchSizes(work.Batches)
	}
	return b
}

// batchSizes lists the sizes that there were. Where they are too many, neighbours are one, the largest of them.
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

// sampleTimes are the reported times of samples: LoadGen's percentiles.
func sampleTimes(t batch.TimeSummary) sdk.SampleTimes {
	out := sdk.SampleTimes{Count: t.Count, Min: t.Min, Max: t.Max, Mean: t.Mean}
	if t.Count > 0 {
		for _, p := range []float64{.5, .9, .95, .97, .99, .999} {
			out.Percentiles = append(out.Percentiles, sdk.TimeAt{P: p, At: t.At(p)})
		}
	}
	return out
}
