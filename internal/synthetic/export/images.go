package export

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/synthetic"
)

// Images writes pictures to the folder dir, with a val_map.txt of "name label" lines in the same order: the ImageNet
// layout. With quality 0 the pictures are PNG files, otherwise JPEG files (NAME.JPEG) of that quality, 1 to 100.
// val_map.txt is written last, so a folder with this file is complete.
func Images(ctx context.Context, dir string, set synthetic.ImageSet, first, end, quality int) error {
	if quality < 0 || quality > 100 {
		return fmt.Errorf("quality %d of JPEG: want 1 to 100, or 0 for PNG", quality)
	}
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	err := onAllCores(ctx, first, end, func(i int) error {
		return os.WriteFile(filepath.Join(dir, pictureName(set, i, quality)), picture(set, i, quality), 0o666)
	})
	if err != nil {
		return fmt.Errorf("write pictures: %w", err)
	}
	return writeMap(filepath.Join(dir, "val_map.txt"), set, first, end, quality)
}

func picture(set synthetic.ImageSet, i, quality int) []byte {
	if quality == 0 {
		return set.PNG(i)
	}
	return set.JPEG(i, quality)
}

func pictureName(set synthetic.ImageSet, i, quality int) string {
	if quality == 0 {
		return set.Name(i)
	}
	return strings.TrimSuffix(set.Name(i), ".png") + ".JPEG"
}

func writeMap(path string, set synthetic.ImageSet, first, end, quality int) (err error) {
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
		fmt.Fprintf(w, "%s %d\n", pictureName(set, i, quality), set.Label(i))
	}
	return w.Flush()
}
