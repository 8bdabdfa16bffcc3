package lists

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Shares calls do with a run of about equal length of the numbers from 0 to n-1 for each of some workers, all at the
// same time, and waits.
func Shares(workers, n int, do func(worker, from, to int)) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { do(w, w*n/workers, (w+1)*n/workers) })
	}
	all.Wait()
}

// Each calls do with the numbers from 0 to n-1, one processor with each, until ctx ends, and waits for what was begun.
func Each(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
