package manifest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
)

// maxFaults is the maximum number of unreadable samples that an error names.
const maxFaults = 20

// sampleReading is the state of reading all samples of a workload.
type sampleReading struct {
	w    sdk.Workload
	next atomic.Int64

	mu         sync.Mutex
	bad        int
	faults     []error
	lastReport time.Time
}

// loadAll loads each sample of w once, on all cores. Its error names the unreadable samples.
func loadAll(ctx context.Context, w sdk.Workload, progress func(string)) error {
	r := &sampleReading{w: w, lastReport: time.Now()}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(r.next.Add(1)) - 1; i < w.Len() && ctx.Err() == nil; i = int(r.next.Add(1)) - 1 {
				r.loadSample(ctx, i)
				r.reportProgress(i, progress)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if more := r.bad - len(r.faults); more > 0 {
		r.faults = append(r.faults, fmt.Errorf("and %d samples more", more))
	}
	return errors.Join(r.faults...)
}

func (r *sampleReading) loadSample(ctx context.Context, i int) {
	s, err := r.w.Load(ctx, i)
	if c, ok := s.(sdk.SampleCloser); ok && err == nil {
		err = c.Close()
	}
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bad++; r.bad <= maxFaults {
		r.faults = append(r.faults, fmt.Errorf("sample %d: %w", i, err))
	}
}

// reportProgress reports the progress every few seconds.
func (r *sampleReading) reportProgress(i int, progress func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.lastReport) > 5*time.Second {
		r.lastReport = time.Now()
		progress(fmt.Sprintf("%d of %d samples read", i+1, r.w.Len()))
	}
}
