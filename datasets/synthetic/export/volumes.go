package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/kits19/nifti"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/volumes"
)

// Volumes writes volumes below the folder dir as DIR/case_00000/imaging.nii.gz and segmentation.nii.gz: the layout in
// which KiTS19 is published.
func Volumes(ctx context.Context, dir string, set volumes.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	return onAllCores(ctx, first, end, func(i int) error {
		if err := writeCase(filepath.Join(dir, set.Name(i)), set.Draw(i)); err != nil {
			return fmt.Errorf("write %s: %w", set.Name(i), err)
		}
		return nil
	})
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
