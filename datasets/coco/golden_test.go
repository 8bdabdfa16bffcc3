package coco

import (
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"
)

// TestGoldenCOCO opens the annotations of the scorers' cases, whose pictures do not exist, and counts the records.
func TestGoldenCOCO(t *testing.T) {
	golden.Each(t, "scorers/coco/*/annotations/instances_val2017.json", func(t *testing.T, path string) {
		var want struct{ Images, Categories, Annotations []struct{} }
		golden.ReadJSON(t, path, &want)
		s, err := Open(filepath.Dir(filepath.Dir(path)), Options{LabelsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		f := s.File()
		if s.Len() != len(want.Images) || len(f.Categories) != len(want.Categories) ||
			len(f.Annotations) != len(want.Annotations) {
			t.Errorf("%d images, %d categories, %d annotations; want %d, %d, %d",
				s.Len(), len(f.Categories), len(f.Annotations), len(want.Images), len(want.Categories), len(want.Annotations))
		}
	})
}
