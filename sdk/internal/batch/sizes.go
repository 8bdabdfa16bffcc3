package batch

import (
	"cmp"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// SizePolicy determines how samples of different sizes share batches. In Server and MultiStream, the oldest waiting
// sample is part of the next batch, whatever its size. No sample is therefore overtaken twice by the same neighbour or
// waits forever.
type SizePolicy struct {
	// Sizes appends the size of each sample to dst, in order. It is called with the queue locked and must not block.
	Sizes func(dst []int, samples []loadgen.QuerySample) []int
	// MaxSum is the maximum sum of the sizes in a batch; 0: no limit. A larger sample forms its own batch.
	MaxSum int
	// Alike groups samples of similar size if more samples wait than fit in a batch.
	Alike bool
}

// Alike chooses from the oldest samples. Their number is a multiple of the batch size within limits: enough to contain
// samples of similar size, and few enough to be examined for each batch. Offline sorts once for many batches.
const (
	windowBatches       = 8
	minWindow           = 64
	maxWindow           = 1024
	sortedWindowBatches = 64
	minSortedWindow     = 1024
	maxSortedWindow     = 64 << 10
)

// sizedSample is a waiting sample with its size and arrival time.
type sizedSample struct {
	sample loadgen.QuerySample
	size   int
	at     int64
}

// sizeWindow contains the oldest waiting samples, taken from the queue's ring, with their sizes.
type sizeWindow struct {
	sizing SizePolicy
	sorted bool          // items are sorted by size; otherwise by arrival
	items  []sizedSample // up to cap(items)

	// Reused for each batch.
	samples []loadgen.QuerySample
	arrived []int64
	sizes   []int
	nearest []int // indices of items; the nearest in size to the oldest is first
}

// newWindow returns the window for batches of up to limit samples. In Offline it sorts, because no sample has a
// deadline.
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
		nearest: make([]int, 0, n),
	}
}

// refillCount returns the number of samples to add, so that a batch of limit samples has a choice. The sorted window is
// refilled only when it cannot fill a batch any more, because each refill sorts.
func (w *sizeWindow) refillCount(limit int) int {
	if w.sorted && len(w.items) >= limit {
		return 0
	}
	return cap(w.items) - len(w.items)
}

// addSamples appends samples and their arrival times.
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

// pickBatch moves one batch to dst, with its times, and returns its size. It returns 0 only if the window is empty.
func (w *sizeWindow) pickBatch(dst []loadgen.QuerySample, at []int64) int {
	switch {
	case w.sorted:
		return w.pickLargest(dst, at)
	case w.sizing.Alike && len(w.items) > len(dst):
		return w.pickNear(dst, at)
	}
	return w.pickOldest(dst, at)
}

// pickLargest takes samples from the end of the sorted items. The long runs come first, and the short ones fill the
// end.
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

// pickOldest takes samples in the order of arrival.
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
	for _, i := range w.nearest {
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

// sortNear fills near. If two samples have the same distance, the older one comes first.
func (w *sizeWindow) sortNear() {
	w.nearest = w.nearest[:0]
	for i := range w.items {
		w.nearest = append(w.nearest, i)
	}
	slices.SortFunc(w.nearest, func(a, b int) int {
		return cmp.Or(cmp.Compare(w.sizeDistance(a), w.sizeDistance(b)), cmp.Compare(a, b))
	})
}

func (w *sizeWindow) sizeDistance(i int) int {
	d := w.items[i].size - w.items[0].size
	return max(d, -d)
}

// fitsSum reports whether a sample can join n others whose sizes sum to sum. The first sample always can.
func (w *sizeWindow) fitsSum(n, sum, size int) bool {
	return n == 0 || w.sizing.MaxSum <= 0 || size <= w.sizing.MaxSum-sum
}
