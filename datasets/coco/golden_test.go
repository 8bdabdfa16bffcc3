package coco

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenCOCO opens the annotations of the scorers' cases, whose pictures do not exist, and counts the records.
func TestGoldenCOCO(t *testing.T) {
	golden.Each(t, "scorers/coco/*/annotations/instances_val2017.json", func(t *testing.T, path string) {
		var want struct{ Images, Categories, Annotations []struct{} }
		golden.ReadJSON(t, path, &want)
		s, err := Open(filepath.Dir(filepath.Dir(path)), ImageOptions{LabelsOnly: true})
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

// safeCase is what the official filter kept of an annotation file.
type safeCase struct {
	Images      []int64 `json:"image_ids"`
	Annotations []int64 `json:"annotation_ids"`
	Keys        []string
	Licences    []int64
	Categories  int
	Copied      []string
	Error       string
}

func TestGoldenSafe(t *testing.T) {
	golden.Each(t, "vision/yolo/licence/*/expected.json", func(t *testing.T, path string) {
		var want safeCase
		golden.ReadJSON(t, path, &want)
		safe, err := ReadSafe(filepath.Join(filepath.Dir(path), "in.json"))
		if want.Error != "" {
			if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "has no license") {
				t.Errorf("%v, where the official script ends with %s", err, want.Error)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if n, err := safe.WriteTo(&text); err != nil || n != int64(text.Len()) {
			t.Fatal(n, err)
		}
		want.check(t, safe, text.Bytes())
	})
}

func (c safeCase) check(t *testing.T, safe *SafeSubset, text []byte) {
	t.Helper()
	if !slices.Equal(safe.Names, c.Copied) || safe.Annotations() != len(c.Annotations) {
		t.Errorf("pictures %v, %d boxes; want %v, %d", safe.Names, safe.Annotations(), c.Copied, len(c.Annotations))
	}
	type record struct{ ID int64 }
	var got struct {
		Info        any
		Licences    []record `json:"licenses"`
		Images      []record
		Annotations []record
		Categories  []record
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	ids := func(records []record) (all []int64) {
		for _, r := range records {
			all = append(all, r.ID)
		}
		return all
	}
	if !slices.Equal(ids(got.Images), c.Images) || !slices.Equal(ids(got.Annotations), c.Annotations) ||
		!slices.Equal(ids(got.Licences), c.Licences) || len(got.Categories) != c.Categories || got.Info == nil {
		t.Errorf("images %v, annotations %v, licences %v, %d categories; want %+v", ids(got.Images), ids(got.Annotations),
			ids(got.Licences), len(got.Categories), c)
	}
	at := -1
	for _, key := range c.Keys {
		next := bytes.Index(text, []byte(`"`+key+`":`))
		if next <= at {
			t.Errorf("the key %q stands at %d, after %d", key, next, at)
		}
		at = next
	}
}
