package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestHeadsNeedEachChannel scores the embedded model on its own heads in files: whole they pass, and with any channel 0
// everywhere they fail.
func TestHeadsNeedEachChannel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "heads")
	harness(t, "dataset", "export", "3d-unet-brats", dir, "--param", "n=8").wantCode(t, 0)
	score := func(out string, code int) {
		t.Helper()
		harness(t, "run", "3d-unet-brats", "--dataset", dir, "--mode", "accuracy", "--scenario", "Offline", "--smoke",
			"--out", filepath.Join(t.TempDir(), out)).wantCode(t, code)
	}
	score("whole", 0)
	for _, channel := range []string{"t1", "t1ce", "t2", "flair"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*", "*_"+channel+".nii.gz"))
		if err != nil || len(paths) != 8 {
			t.Fatalf("%d files of channel %s, %v", len(paths), channel, err)
		}
		kept := map[string][]byte{}
		for _, path := range paths {
			kept[path] = blacken(t, path)
		}
		score(channel, 4)
		for path, data := range kept {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// blacken makes all voxels of a NIfTI file 0, and returns what it was.
func blacken(t *testing.T, path string) []byte {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	const header = 352
	clear(data[header:])
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return before
}
