// Package export writes synthetic data sets to folders in the official layouts, for training scripts and for other
// programs that read them.
package export

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
)

// Images writes pictures [first, end) of set to dir, with a val_map.txt of "name label" lines in the same order: the
// ImageNet layout. It makes dir where it is missing, replaces files of the same names, draws on all cores, and stops at
// the first error or when ctx ends. val_map.txt is written last: a folder that has one is complete.
func Images(ctx context.Context, dir string, set synthetic.ImageSet, first, end int) error {
	if first < 0 || first > end || end > set.Len() {
		return fmt.Errorf("pictures %d to %d of %d: want 0 <= first <= end <= %d", first, end, set.Len(), set.Len())
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	err := parallel(ctx, first, end, func(i int) error {
		return os.WriteFile(filepath.Join(dir, set.Name(i)), set.PNG(i), 0o666)
	})
	if err != nil {
		return fmt.Errorf("write pictures: %w", err)
	}
	return writeMap(filepath.Join(dir, "val_map.txt"), set, first, end)
}

// parallel calls do for each of [first, end) on all cores, until the first error.
func parallel(ctx context.Context, first, end int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := atomic.Int64{}
	next.Store(int64(first))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < end && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func writeMap(path string, set synthetic.ImageSet, first, end int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the list of labels: %w", err)
	}
	defer func() {
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("write the list of labels: %w", closing)
		}
	}()
	w := bufio.NewWriter(f)
	for i := first; i < end; i++ {
		fmt.Fprintf(w, "%s %d\n", set.Name(i), set.Label(i))
	}
	return w.Flush()
}
