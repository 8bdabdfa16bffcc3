package orderstat

import (
	"runtime"
	"sync"
)

// Values is a sequence of integers that several goroutines can walk repeatedly and concurrently.
type Values struct {
	// N is the number of items. An item yields one value or none.
	N int
	// Chunk returns the values of the items [from, to), in buf or elsewhere. It must return the same values each time.
	Chunk func(buf []int64, from, to int) []int64
}

const (
	chunkItems = 1024    // items per chunk: their values stay in the first-level cache
	perWorker  = 1 << 19 // number of items that justify another goroutine
	maxWork    = 16
)

// workerCount returns the number of goroutines that should walk the values.
func (v Values) workerCount() int {
	return max(1, min(v.N/perWorker, runtime.GOMAXPROCS(0), maxWork))
}

// walkChunks calls visit with every chunk of the values and with the number of the worker that walks it, below workers.
func (v Values) walkChunks(workers int, visit func(worker int, chunk []int64)) {
	var wg sync.WaitGroup
	for w := range workers {
		from, to := w*(v.N/workers), (w+1)*(v.N/workers)
		if w == workers-1 {
			to = v.N
		}
		wg.Go(func() {
			buf := make([]int64, 0, chunkItems)
			for i := from; i < to; i += chunkItems {
				visit(w, v.Chunk(buf[:0], i, min(i+chunkItems, to)))
			}
		})
	}
	wg.Wait()
}
