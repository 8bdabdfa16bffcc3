package yolo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/sdk"
)

// annotationFile is the path of the annotations in COCOLabels and in the distributed subset.
const annotationFile = "annotations/instances_val2017.json"

// convertSafe makes the safe subset of COCOLabels's validation set, in the layout in which it is distributed. It
// reports every missing picture.
func convertSafe(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error) {
	progress("reading " + annotationFile)
	safe, err := coco.ReadSafe(filepath.Join(r.Input, filepath.FromSlash(annotationFile)))
	if err != nil {
		return "", sdk.Data(err)
	}
	if len(safe.Names) == 0 {
		return "", sdk.Data(fmt.Errorf("%s: none of its %d images has a safe licence", r.Input, safe.Images))
	}
	progress(fmt.Sprintf("copying %d of %d pictures", len(safe.Names), safe.Images))
	faults := make([]error, len(safe.Names))
	parallel.Each(ctx, len(safe.Names), func(i int) {
		faults[i] = copyPicture(r.Input, r.Output, filepath.FromSlash(safe.Names[i]))
	})
	if err := errors.Join(context.Cause(ctx), errors.Join(faults...)); err != nil {
		return "", err
	}
	if err := writeAnnotations(filepath.Join(r.Output, filepath.FromSlash(annotationFile)), safe); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d of %d pictures and their %d annotations have safe licences", len(safe.Names), safe.Images,
		safe.Annotations()), nil
}

func copyPicture(in, out, name string) error {
	from, err := openPicture(in, name)
	if err != nil {
		return sdk.Data(err)
	}
	defer func() { _ = from.Close() }()
	to, err := createFile(filepath.Join(out, coco.SafeFolder, name))
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// openPicture searches the folders of COCOLabels's layout.
func openPicture(in, name string) (*os.File, error) {
	f, err := bounded.Open(filepath.Join(in, "val2017", name))
	if errors.Is(err, os.ErrNotExist) {
		if f, err := bounded.Open(filepath.Join(in, name)); err == nil {
			return f, nil
		}
	}
	return f, err
}

func writeAnnotations(path string, safe *coco.SafeSubset) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	_, err = safe.WriteTo(f)
	return errors.Join(err, f.Close())
}

func createFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return os.Create(path)
}
