package coco

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// openImagesFolder makes a data set with some categories, and two pictures of 3 x 2 pixels in folders of its own.
func openImagesFolder(t *testing.T, categories string, folders ...string) string {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{OpenImagesAnnotations: fmt.Appendf(nil, `{"categories": [%s], "annotations": [],
		"images": [{"id": 1, "file_name": "a.png", "width": 3, "height": 2},
			{"id": 2, "file_name": "b.png", "width": 3, "height": 2}]}`,
		categories)}
	for i, folder := range folders {
		files[filepath.Join(folder, string(rune('a'+i))+".png")] = picture.Bytes()
	}
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenImages(t *testing.T) {
	dir := openImagesFolder(t, `{"id": 0}, {"id": 1}`, ".", "validation/data")
	s, err := OpenImages(dir, ImageOptions{Classes: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s.Path(0) != filepath.Join(dir, "a.png") || s.Path(1) != filepath.Join(dir, "validation", "data", "b.png") {
		t.Errorf("paths %s, %s", s.Path(0), s.Path(1))
	}
	dir = openImagesFolder(t, `{"id": 0}`, ".")
	if s, err := OpenImages(dir, ImageOptions{Classes: 1, Count: 1}); err != nil || s.Len() != 1 {
		t.Errorf("the first picture alone: %v, %v", s, err)
	}
}

func TestOpenImagesRefusesOtherClasses(t *testing.T) {
	_, err := OpenImages(openImagesFolder(t, `{"id": 1, "name": "cat"}, {"id": 0}`), ImageOptions{})
	if !errors.Is(err, ErrDataset) {
		t.Fatalf("error %v, want ErrDataset", err)
	}
	for _, want := range []string{"2 categories, want 264", `category 0 ("cat"): id 1, want 0`,
		`picture 1 ("b.png", id 2): there is no such file`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to say %q", err, want)
		}
	}
}

// TestGoldenOpenImages opens the annotations of the scorers' cases, whose pictures do not exist.
func TestGoldenOpenImages(t *testing.T) {
	golden.Each(t, "scorers/openimages/*/"+OpenImagesAnnotations, func(t *testing.T, path string) {
		var want struct{ Images, Annotations []struct{} }
		golden.ReadJSON(t, path, &want)
		s, err := OpenImages(filepath.Dir(filepath.Dir(path)), ImageOptions{LabelsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != len(want.Images) || len(s.File().Annotations) != len(want.Annotations) {
			t.Errorf("%d images, %d annotations; want %d, %d", s.Len(), len(s.File().Annotations), len(want.Images),
				len(want.Annotations))
		}
	})
}
