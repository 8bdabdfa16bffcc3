package batch

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// WorkTotals contains statistics of the workers of a scheduler.
type WorkTotals struct {
	// Batches contains the number of batches of each size. The index is the size, so Batches[0] is 0.
	Batches []uint64
	// Waiting contains the waiting times of samples from their submission to the run of their batch: in the queue, during
	// collating, and for a session. Model contains the durations of the runs. An inline policy has neither, because its
	// samples do not wait.
	Waiting, Model TimeSummary
}

// TimeSummary summarizes the times of many samples.
type TimeSummary struct {
	Count          uint64
	Min, Max, Mean time.Duration
	tally          timeTally
}

// At returns the time at a fraction p of the sorted values, number trunc(Count*p) from 0. It is precise to 1 % and
// never outside Min to Max.
func (t TimeSummary) At(p float64) time.Duration {
	if t.Count == 0 {
		return 0
	}
	rank := uint64(max(0, min(float64(t.Count)*p, float64(t.Count-1))))
	if rank == t.Count-1 {
		return t.Max
	}
	var seen uint64
	for i, n := range t.tally.counts {
		if seen += uint64(n); seen > rank {
			low, high := orderstat.Bounds(i, tallyBits)
			return min(max(time.Duration(low+(high-low+1)/2), t.Min), t.Max)
		}
	}
	return t.Max
}

// tallyBits gives buckets a width of 1.6 % of their values. Summaries use the middle of a bucket.
const tallyBits = 6

// timeTally counts times in ns. Only one goroutine writes it.
type timeTally struct {
	counts   []uint32 // by bucket, up to the largest value; a full counter stays at its maximum
	n        uint64
	min, max int64
	sum      float64
}

// addTimes counts n samples with a time of ns.
func (t *timeTally) addTimes(ns int64, n int) {
	ns = max(ns, 0)
	i := orderstat.Bucket(uint64(ns), tallyBits)
	if i >= len(t.counts) {
		t.counts = append(t.counts, make([]uint32, i+1-len(t.counts))...)
	}
	if room := math.MaxUint32 - t.counts[i]; uint64(n) <= uint64(room) {
		t.counts[i] += uint32(n)
	}
	if t.n == 0 || ns < t.min {
		t.min = ns
	}
	t.max = max(t.max, ns)
	t.n += uint64(n)
	t.sum += float64(ns) * float64(n)
}

// mergeTally adds the counts of another tally.
func (t *timeTally) mergeTally(o *timeTally) {
	if o.n == 0 {
		return
	}
	if t.n == 0 || o.min < t.min {
		t.min = o.min
	}
	t.max, t.n, t.sum = max(t.max, o.max), t.n+o.n, t.sum+o.sum
	if k := len(o.counts) - len(t.counts); k > 0 {
		t.counts = append(t.counts, make([]uint32, k)...)
	}
	for i, n := range o.counts {
		t.counts[i] = uint32(min(uint64(t.counts[i])+uint64(n), math.MaxUint32))
	}
}

// summarizeTimes returns the summary of the counts.
func (t *timeTally) summarizeTimes() TimeSummary {
	if t.n == 0 {
		return TimeSummary{}
	}
	return TimeSummary{Count: t.n, Min: time.Duration(t.min), Max: time.Duration(t.max),
		Mean: time.Duration(t.sum / float64(t.n)), tally: *t}
}

// workerState is a worker with its current work and its statistics. Its memory is reused for each batch.
type workerState struct {
	worker         Worker
	job            *WorkerJob
	samples        []uint64 // number of batches by size
	waiting, model timeTally
}

// countBatch counts a batch of n samples.
func (h *workerState) countBatch(n int) {
	if n >= len(h.samples) {
		h.samples = append(h.samples, make([]uint64, n+1-len(h.samples))...)
	}
	h.samples[n]++
}

// addTimes counts the times of n samples that arrived at arrived and ran from from to to.
func (h *workerState) addTimes(n int, arrived []int64, from, to int64) {
	h.model.addTimes(to-from, n)
	for first := 0; first < len(arrived); { // samples of one frame have the same time
		next := first + 1
		for next < len(arrived) && arrived[next] == arrived[first] {
			next++
		}
		h.waiting.addTimes(from-arrived[first], next-first)
		first = next
	}
}

// Work returns the statistics so far. It may be called only after Close, when no batch is in progress.
func (s *Scheduler) Work() WorkTotals {
	var out WorkTotals
	var waiting, model timeTally
	for _, h := range s.states {
		waiting.mergeTally(&h.waiting)
		model.mergeTally(&h.model)
		if k := len(h.samples) - len(out.Batches); k > 0 {
			out.Batches = append(out.Batches, make([]uint64, k)...)
		}
		for size, n := range h.samples {
			out.Batches[size] += n
		}
	}
	out.Waiting, out.Model = waiting.summarizeTimes(), model.summarizeTimes()
	return out
}
