package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func sumAt(t *testing.T, path string) (string, int64) {
	t.Helper()
	sum, err := checksumModel(backend.Model{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return sum.SHA256, sum.Size
}

func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSumOfSeveralFiles checks that models of two files, and folders, have a checksum and a size over all files.
func TestSumOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for _, ext := range []string{".xml", ".param", ".onnx"} {
		path := filepath.Join(dir, "m"+ext)
		place(t, path, "graph")
		_ = os.Remove(filepath.Join(dir, "m.bin"))
		alone, _ := sumAt(t, path)
		place(t, filepath.Join(dir, "m.bin"), "weights")
		pair, size := sumAt(t, path)
		if two := ext != ".onnx"; (pair != alone) != two || (size == 12) != two {
			t.Errorf("%s: %s alone, %s and %d bytes with m.bin", ext, alone, pair, size)
		}
	}
	whole, size := sumAt(t, dir)
	if size != 5+5+5+7 {
		t.Errorf("the folder has %d bytes", size)
	}
	if err := os.Rename(filepath.Join(dir, "m.bin"), filepath.Join(dir, "n.bin")); err != nil {
		t.Fatal(err)
	}
	if renamed, _ := sumAt(t, dir); renamed == whole {
		t.Error("a file of another name does not change the sum")
	}
	if _, err := checksumModel(backend.Model{Path: t.TempDir()}); err == nil {
		t.Error("an empty folder is no model")
	}
}
