package orderstat

import (
	"runtime"
	"sync"
)

// Values are integers that can be walked again and again, from several goroutines at a time.
type Values struct {
	// N is how many items there are; an item gives one value or none.
	N int
	// Chunk returns the values of the items [from, to), in buf or elsewhere. It must give the same each time.
	Chunk func(buf []int64, from, to int) []int64
}

const (
	chunkItems = 1024    // items at a time: their values stay in the first-level cache
	perWorker  = 1 << 19 // items that are worth a goroutine
	mostWork   = 16
)

// walk calls visit with every chunk of the values, and with the state of the worker that walks it. It returns the
// states, at least one; those after the first may be zero.
func walk[T any](values Values, visit func(state *T, chunk []int64)) []T {
	workers := max(1, min(values.N/perWorker, runtime.GOMAXPROCS(0), mostWork))
	states := make([]T, workers)
	var wg sync.WaitGroup
	for w := range workers {
		from, to := w*(values.N/workers), (w+1)*(values.N/workers)
		if w == workers-1 {
			to = values.N
		}
		wg.Go(func() {
			var state T // not in states, whose elements share cache lines
			buf := make([]int64, 0, chunkItems)
			for i := from; i < to; i += chunkItems {
				visit(&state, values.Chunk(buf[:0], i, min(i+chunkItems, to)))
			}
			states[w] = state
		})
	}
	wg.Wait()
	return states
}
