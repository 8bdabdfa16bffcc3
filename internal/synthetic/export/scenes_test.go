package export

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
)

func TestScenesAreReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	set := scenes.Calibration()
	const first, end = 3, 33
	if err := Scenes(t.Context(), dir, set, first, end); err != nil {
		t.Fatal(err)
	}
	got, err := coco.OpenImages(dir, coco.ImageOptions{Classes: scenes.Classes})
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != end-first {
		t.Fatalf("%d pictures, want %d", got.Len(), end-first)
	}
	boxes := got.File().Annotations
	for i := range got.Len() {
		data, err := got.Read(i)
		if err != nil {
			t.Fatal(err)
		}
		want := set.Picture(first + i)
		if im := got.Image(i); im.Name != set.Name(first+i) || im.Width != want.Width || im.Height != want.Height ||
			!bytes.Equal(data, set.PNG(first+i)) {
			t.Errorf("picture %d (%+v) is not picture %d of the set", i, im, first+i)
		}
		for _, o := range want.Objects {
			if a := boxes[0]; a.Image != got.Image(i).ID || a.ID == 0 || a.Category != int64(o.Class) || a.Box != o.Box ||
				a.Area != o.Area || a.Crowd != o.Crowd {
				t.Errorf("picture %d: %+v, want %+v", i, a, o)
			}
			boxes = boxes[1:]
		}
	}
	if len(boxes) > 0 {
		t.Errorf("%d boxes too many", len(boxes))
	}
}

func TestScenesOfABadRange(t *testing.T) {
	set := scenes.Set{SampleSet: draw.NewSampleSet(1, 10)}
	for _, r := range [][2]int{{-1, 2}, {5, 4}, {5, 5}, {0, 11}} {
		if err := Scenes(t.Context(), t.TempDir(), set, r[0], r[1]); err == nil {
			t.Errorf("pictures %v of 10: no error", r)
		}
	}
}

func TestScenesStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := Scenes(ctx, dir, scenes.Train(), 0, 5000); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(dir, coco.OpenImagesAnnotations)); err == nil {
		t.Error("an incomplete folder has annotations")
	}
}
