package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/nifti"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
)

// Volumes writes volumes below the folder dir as DIR/case_00000/imaging.nii.gz and segmentation.nii.gz, the published
// layout of KiTS19.
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

// Heads writes heads below the folder dir as DIR/HGG/CASE/CASE_t1.nii.gz, with _t1ce, _t2, _flair and _seg, and heads
// without an enhancing part below DIR/LGG: the published layout of BraTS. Its labels are 1 for the non-enhancing part,
// 2 for oedema and 4 for the enhancing part. DIR/fold1_validation.txt lists the names of the heads.
func Heads(ctx context.Context, dir string, set volumes.HeadSet, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	names := make([]string, end-first)
	for i := range names {
		names[i] = set.Name(first+i) + "\n"
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "fold1_validation.txt"), []byte(strings.Join(names, "")), 0o666)
	}
	if err != nil {
		return err
	}
	return onAllCores(ctx, first, end, func(i int) error {
		grade, name, _ := strings.Cut(set.Name(i), "__")
		if err := writeHead(filepath.Join(dir, grade, name), set.Draw(i)); err != nil {
			return fmt.Errorf("write %s: %w", set.Name(i), err)
		}
		return nil
	})
}

func writeHead(folder string, h *volumes.Head) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	spacing, path := [3]float64{1, 1, 1}, filepath.Join(folder, filepath.Base(folder))
	labels := make([]uint8, len(h.Labels))
	for k, label := range h.Labels {
		labels[k] = [...]uint8{0, volumes.Oedema: 2, volumes.NonEnhancing: 1, volumes.Enhancing: 4}[label]
	}
	err := nifti.WriteVolume(path+"_seg.nii.gz", nifti.SimpleITKOrder, h.Shape, spacing, labels)
	for c, name := range []string{"_t1", "_t1ce", "_t2", "_flair"} {
		err = errors.Join(err, nifti.WriteVolume(path+name+".nii.gz", nifti.SimpleITKOrder, h.Shape, spacing,
			whole(h.Channels[c])))
	}
	return err
}

// whole converts values to the stored integers.
func whole(values []float32) []int16 {
	stored := make([]int16, len(values))
	for i, v := range values {
		stored[i] = int16(v)
	}
	return stored
}

func writeCase(folder string, v *volumes.Volume) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	values := whole(v.Values)
	return errors.Join(
		nifti.WriteVolume(filepath.Join(folder, "imaging.nii.gz"), nifti.NibabelOrder, v.Shape, v.Spacing, values),
		nifti.WriteVolume(filepath.Join(folder, "segmentation.nii.gz"), nifti.NibabelOrder, v.Shape, v.Spacing, v.Labels),
	)
}
