// Package export writes synthetic volumes to folders in the layout in which KiTS19 is published, for training scripts and
// for other programs that read it.
package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/kits19/nifti"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
)

// Cases writes volumes [first, end) of set to dir as DIR/case_00000/imaging.nii.gz and segmentation.nii.gz. It makes the
// folders, replaces files of the same names, works on all cores, and stops at the first error or when ctx ends.
func Cases(ctx context.Context, dir string, set volumes.Set, first, end int) error {
	if first < 0 || first > end || end > set.Len() {
		return fmt.Errorf("volumes %d to %d of %d: want 0 <= first <= end <= %d", first, end, set.Len(), set.Len())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	next.Store(int64(first))
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < end && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := writeCase(filepath.Join(dir, set.Name(i)), set.Draw(i)); err != nil {
					cancel(fmt.Errorf("write %s: %w", set.Name(i), err))
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func writeCase(folder string, v *volumes.Volume) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	values := make([]int16, len(v.Values))
	for i, hu := range v.Values {
		values[i] = int16(hu)
	}
	return errors.Join(
		nifti.Write(filepath.Join(folder, "imaging.nii.gz"), v.Shape, v.Spacing, values),
		nifti.Write(filepath.Join(folder, "segmentation.nii.gz"), v.Shape, v.Spacing, v.Labels),
	)
}
