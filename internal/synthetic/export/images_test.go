package export

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/synthetic"
)

func TestImagesAreReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	set := synthetic.ImageCalibration()
	const first, end = 3, 33
	if err := Images(t.Context(), dir, set, first, end, 0); err != nil {
		t.Fatal(err)
	}
	got, err := imagenet.Open(dir, imagenet.PictureOptions{Classes: synthetic.ImageClasses})
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != end-first {
		t.Fatalf("%d pictures, want %d", got.Len(), end-first)
	}
	for i := range got.Len() {
		data, err := got.Read(i)
		if err != nil {
			t.Fatal(err)
		}
		if j := first + i; got.Name(i) != set.Name(j) || got.Label(i) != set.Label(j) || !bytes.Equal(data, set.PNG(j)) {
			t.Errorf("picture %d is not picture %d of the set", i, j)
		}
	}
}

func TestImagesOfABadRange(t *testing.T) {
	set := synthetic.ImageSet{SampleSet: draw.NewSampleSet(1, 10)}
	for _, r := range [][2]int{{-1, 2}, {5, 4}, {0, 11}} {
		if err := Images(t.Context(), t.TempDir(), set, r[0], r[1], 0); err == nil {
			t.Errorf("pictures %v of 10: no error", r)
		}
	}
}

func TestImagesStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := Images(ctx, dir, synthetic.ImageTrain(), 0, 5000, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "val_map.txt")); err == nil {
		t.Error("an incomplete folder has a val_map.txt")
	}
}

func TestImagesToAPlaceThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Images(t.Context(), path, synthetic.ImageEval(), 0, 1, 0); err == nil {
		t.Error("no error")
	}
}
