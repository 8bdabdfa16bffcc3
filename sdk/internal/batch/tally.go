package batch

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// WorkTotals is what the workers of a scheduler have done.
type WorkTotals struct {
	// Batches counts the batches of each size, which is its index: Batches[0] is 0.
	Batches []uint64
	// Waiting is how long each sample waited, from when it was submitted to when its batch ran: in the queue, while the
	// batch was collated, and for a session. Model is how long that run took. An inline policy, whose samples do not
	// wait, has neither.
	Waiting, Model TimeSummary
}

// TimeSummary are how long something took, of many samples.
type TimeSummary struct {
	Count          uint64
	Min, Max, Mean time.Duration
	tally          timeTally
}

// At is the time at a fraction of the values in order, number trunc(Count*p) from 0, right to 1 % and never outside Min
// to Max.
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

// tallyBits make a bucket as wide as 1.6 % of its values: what is shown is its middle.
const tallyBits = 6

// timeTally counts times in ns. One goroutine writes it.
type timeTally struct {
	counts   []uint32 // by bucket, as far as there are values; a bucket that is full stays so
	n        uint64
	min, max int64
	sum      float64
}

// addTimes counts n samples that took so long.
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

// mergeTally adds what another one has counted.
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

// summarizeTimes returns what was counted.
func (t *timeTally) summarizeTimes() TimeSummary {
	if t.n == 0 {
		return TimeSummary{}
	}
	return TimeSummary{Count: t.n, Min: time.Duration(t.min), Max: time.Duration(t.max),
		Mean: time.Duration(t.sum / float64(t.n)), tally: *t}
}

// workerState is a worker with what it does and has done. Its memory is reused from batch to batch.
type workerState struct {
	worker         Worker
	job            *WorkerJob
	samples        []uint64 // batches by the number of their samples
	waiting, model timeTally
}

// countBatch counts a batch of n samples.
func (h *workerState) countBatch(n int) {
	if n >= len(h.samples) {
		h.samples = append(h.samples, make([]uint64, n+1-len(h.samples))...)
	}
	h.samples[n]++
}

// addTimes counts the times of n samples that arrived at times, and ran from one to another.
func (h *workerState) addTimes(n int, arrived []int64, from, to int64) {
	h.model.addTimes(to-from, n)
	for first := 0; first < len(arrived); { // those of one frame have one time
		next := first + 1
		for next < len(arrived) && arrived[next] == arrived[first] {
			next++
		}
		h.waiting.addTimes(from-arrived[first], next-first)
		first = next
	}
}

// Work is what the workers have done so far. Nothing may be in work: it is asked for after Close.
func (s *Scheduler) Work() WorkTotals {
	var out WorkTotals
	var waiting, model timeTally
	for _, h := range s.hands {
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
