package clicks

import (
	"os"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
)

// TestExportIsReadBack reads an export with the reader of the official layout.
func TestExportIsReadBack(t *testing.T) {
	dir := t.TempDir()
	s := Eval()
	start, end := 7, 7+exportPairs+100 // more than a block
	if err := Export(dir, s, start, end); err != nil {
		t.Fatal(err)
	}
	rows, hotness := Rows(), Hotness()
	set, err := criteo.Open(dir, criteo.PairOptions{Variant: criteo.Sample, Rows: rows[:]})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	want := read(t, s, start, end-start)
	if set.Len() != end-start || !slices.Equal(set.Labels(), want.Labels) || !slices.Equal(set.Hotness(), hotness[:]) {
		t.Errorf("%d pairs with hotness %v", set.Len(), set.Hotness())
	}
	dense := make([]float32, len(want.Dense))
	if err := set.ReadDense(dense, 0, set.Len()); err != nil || !slices.Equal(dense, want.Dense) {
		t.Errorf("numbers differ: %v", err)
	}
	for k := range want.Sparse {
		indices := make([]int32, len(want.Sparse[k]))
		if err := set.ReadSparse(indices, k, 0, set.Len()); err != nil || !slices.Equal(indices, want.Sparse[k]) {
			t.Errorf("table %d differs: %v", k, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("%d files are left, want 3: %v", len(files), err)
	}
}

func TestExportRefuses(t *testing.T) {
	s := New(1, 10)
	for _, r := range [][2]int{{-1, 5}, {6, 5}, {0, 11}} {
		if err := Export(t.TempDir(), s, r[0], r[1]); err == nil {
			t.Errorf("pairs %v: no error", r)
		}
	}
	if err := Export("/nowhere", s, 0, 5); err == nil {
		t.Error("no error of a missing folder")
	}
}
