package export

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
)

func TestVolumesAreReadAsPublished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := Volumes(t.Context(), dir, volumes.Eval(), 3, 5); err != nil {
		t.Fatal(err)
	}
	s, err := kits19.Open(dir, kits19.CaseOptions{Cases: []string{"case_00003", "case_00004"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Len() {
		want := volumes.Eval().Draw(3 + i)
		image, err := s.Image(i)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := s.Labels(i)
		if err != nil {
			t.Fatal(err)
		}
		if image.Shape != want.Shape || image.Spacing != want.Spacing || s.Spacing(i) != want.Spacing ||
			!slices.Equal(image.Values, want.Values) || !slices.Equal(labels, want.Labels) {
			t.Errorf("%s: what is read differs from what was drawn", s.Name(i))
		}
	}
	if found, _ := os.ReadDir(dir); len(found) != 2 {
		t.Errorf("%d folders, want 2", len(found))
	}
}

func TestVolumesRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, end int
		want       string
	}{{-1, 1, "want 0 <= first"}, {2, 1, "want 0 <= first"}, {0, 44, "44 of 43"}, {0, 1, "write case_00000"}} {
		if err := Volumes(t.Context(), file, volumes.Eval(), c.first, c.end); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d to %d: %v, want %q", c.first, c.end, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Volumes(ended, t.TempDir(), volumes.Eval(), 0, 43); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}
