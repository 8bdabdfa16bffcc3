// Package parallel runs a function on several processors at the same time.
//
// In scope: functions of an index, and of a range of indices. Out of scope: their results and errors, which callers
// collect by index.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with each number from 0 to n-1, on all processors, and waits for the calls. After the end of ctx it
// starts no further call.
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

// EachRange divides the numbers from 0 to n-1 into one range for each worker, of about equal length, and calls do with
// all ranges at the same time. A range begins with from and ends before to. EachRange waits for the calls.
func EachRange(workers, n int, do func(worker, from, to int)) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { do(w, w*n/workers, (w+1)*n/workers) })
	}
	all.Wait()
}
