package batch

import (
	"cmp"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// SizePolicy says how samples of different sizes share batches. The oldest waiting sample of a Server or MultiStream
// run is part of the next batch, whatever its size: nobody is overtaken twice by the same neighbour, and nobody
// starves.
type SizePolicy struct {
	// Sizes appends the size of each sample to dst, in order. It is called with the queue locked and must not block.
	Sizes func(dst []int, samples []loadgen.QuerySample) []int
	// MaxSum is what the sizes of a batch sum to at most; 0: no limit. A sample above it runs by itself.
	MaxSum int
	// Alike joins samples of similar size where more wait than fit in a batch.
	Alike bool
}

// The samples that Alike chooses from are the oldest ones, this many times the batch, within bounds: enough for
// neighbours in size to meet, few enough to be looked through for each batch. Offline sorts once for many batches.
const (
	windowBatches       = 8
	minWindow           = 64
	maxWindow           = 1024
	sortedWindowBatches = 64
	minSortedWindow     = 1024
	maxSortedWindow     = 64 << 10
)

// sizedSample is a waiting sample, its size, and when it came.
type sizedSample struct {
	sample loadgen.QuerySample
	size   int
	at     int64
}

// sizeWindow holds the oldest waiting samples, taken from the queue's ring, with their sizes.
type sizeWindow struct {
	sizing SizePolicy
	sorted bool          // items ascend by size; else they are in the order of arrival
	items  []sizedSample // at most cap(items)

	// Reused from batch to batch.
	samples []loadgen.QuerySample
	arrived []int64
	sizes   []int
	near    []int // indices of items, the nearest in size to the oldest first
}

// newWindow returns the window for batches of at most limit samples. offline sorts: no sample waits for a deadline.
func newWindow(s SizePolicy, limit int, offline bool) *sizeWindow {
	n := limit
	switch {
	case s.Alike && offline:
		n = max(limit, min(sortedWindowBatches*limit, maxSortedWindow), minSortedWindow)
	case s.Alike:
		n = max(limit, min(windowBatches*limit, maxWindow), minWindow)
	}
	return &sizeWindow{
		sizing: s, sorted: s.Alike && offline, items: make([]sizedSample, 0, n),
		samples: make([]loadgen.QuerySample, n), arrived: make([]int64, n), sizes: make([]int, 0, n),
		near: make([]int, 0, n),
	}
}

// refillCount is how many samples to refill with, so that a batch of limit samples has a choice. The sorted window is
// refilled only when it cannot fill a batch any more: each refill sorts.
func (w *sizeWindow) refillCount(limit int) int {
	if w.sorted && len(w.items) >= limit {
		return 0
	}
	return cap(w.items) - len(w.items)
}

// addSamples puts samples, and when they came, behind the others.
func (w *sizeWindow) addSamples(samples []loadgen.QuerySample, at []int64) {
	if len(samples) == 0 {
		return
	}
	w.sizes = w.sizing.Sizes(w.sizes[:0], samples)
	for i, s := range samples {
		w.items = append(w.items, sizedSample{s, max(w.sizes[i], 0), at[i]})
	}
	if w.sorted {
		slices.SortFunc(w.items, func(a, b sizedSample) int { return cmp.Compare(a.size, b.size) })
	}
}

// pickBatch moves one batch to dst, with its times, and returns how many it has: 0 only where the window is empty.
func (w *sizeWindow) pickBatch(dst []loadgen.QuerySample, at []int64) int {
	switch {
	case w.sorted:
		return w.pickLargest(dst, at)
	case w.sizing.Alike && len(w.items) > len(dst):
		return w.pickNear(dst, at)
	}
	return w.pickOldest(dst, at)
}

// pickLargest takes from the end of the sorted items: the long runs come first, and the short ones fill the end.
func (w *sizeWindow) pickLargest(dst []loadgen.QuerySample, at []int64) int {
	n, sum := 0, 0
	for n < len(dst) && len(w.items) > 0 {
		last := w.items[len(w.items)-1]
		if !w.fitsSum(n, sum, last.size) {
			break
		}
		sum += last.size
		dst[n], at[n] = last.sample, last.at
		n++
		w.items = w.items[:len(w.items)-1]
	}
	return n
}

// pickOldest takes in the order of arrival.
func (w *sizeWindow) pickOldest(dst []loadgen.QuerySample, at []int64) int {
	n, sum := 0, 0
	for n < min(len(dst), len(w.items)) && w.fitsSum(n, sum, w.items[n].size) {
		sum += w.items[n].size
		dst[n], at[n] = w.items[n].sample, w.items[n].at
		n++
	}
	w.items = w.items[:copy(w.items, w.items[n:])]
	return n
}

// pickNear takes the oldest sample and those nearest to it in size.
func (w *sizeWindow) pickNear(dst []loadgen.QuerySample, at []int64) int {
	w.sortNear()
	n, sum := 0, 0
	for _, i := range w.near {
		if n == len(dst) || !w.fitsSum(n, sum, w.items[i].size) {
			break
		}
		sum += w.items[i].size
		dst[n], at[n] = w.items[i].sample, w.items[i].at
		n++
		w.items[i].size = -1
	}
	w.items = slices.DeleteFunc(w.items, func(s sizedSample) bool { return s.size < 0 })
	return n
}

// sortNear fills near. Of two at the same distance the older one comes first.
func (w *sizeWindow) sortNear() {
	w.near = w.near[:0]
	for i := range w.items {
		w.near = append(w.near, i)
	}
	slices.SortFunc(w.near, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.sizeDistance(a), w.sizeDistance(b)), cmp.Compare(a, b))
	})
}

func (w *sizeWindow) sizeDistance(i int) int {
	d := w.items[i].size - w.items[0].size
	return max(d, -d)
}

// fitsSum reports whether a sample may join n others, whose sizes sum to sum. The first one always may.
func (w *sizeWindow) fitsSum(n, sum, size int) bool {
	return n == 0 || w.sizing.MaxSum <= 0 || size <= w.sizing.MaxSum-sum
}
