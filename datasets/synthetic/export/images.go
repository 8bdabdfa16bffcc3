package export

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
)

// Images writes pictures to the folder dir, with a val_map.txt of "name label" lines in the same order: the ImageNet
// layout. val_map.txt is written last: a folder that has one is complete.
func Images(ctx context.Context, dir string, set synthetic.ImageSet, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	err := onAllCores(ctx, first, end, func(i int) error {
		return os.WriteFile(filepath.Join(dir, set.Name(i)), set.PNG(i), 0o666)
	})
	if err != nil {
		return fmt.Errorf("write pictures: %w", err)
	}
	return writeMap(filepath.Join(dir, "val_map.txt"), set, first, end)
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
