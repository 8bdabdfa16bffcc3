package models

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// TestHeadsNeedEachChannel scores the embedded model on its own heads in files: if any channel is 0 everywhere, the
// DICE differs much from that of whole heads.
func TestHeadsNeedEachChannel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "heads")
	harness.Run(t, "dataset", "export", "3d-unet-brats", dir, "--param", "n=8").WantCode(t, 0)
	score := func() float64 {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		harness.Run(t, "run", "3d-unet-brats", "--dataset", dir, "--mode", "accuracy", "--scenario", "Offline", "--smoke",
			"--out", out).WantCode(t, 0) // a part of the set has no target
		var doc results.Document
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil || doc.Runs[0].Accuracy.Metrics[0].Name != "DICE" {
			t.Fatalf("%+v, want one accuracy run", doc)
		}
		return doc.Runs[0].Accuracy.Metrics[0].Value
	}
	whole := score()
	if whole < 0.9 {
		t.Errorf("DICE %v of whole heads", whole)
	}
	for _, channel := range []string{"t1", "t1ce", "t2", "flair"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*", "*_"+channel+".nii.gz"))
		if err != nil || len(paths) != 8 {
			t.Fatalf("%d files of channel %s, %v", len(paths), channel, err)
		}
		kept := map[string][]byte{}
		for _, path := range paths {
			kept[path] = blacken(t, path)
		}
		if left := score(); left > whole-0.2 {
			t.Errorf("without %s the DICE is %v, of %v", channel, left, whole)
		}
		for path, data := range kept {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// blacken sets all voxels of a NIfTI file to 0, and returns its previous contents.
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

// TestOfficialBraTS runs the official accuracy script on our log of a case in the official size. It needs nnU-Net 1.7.1
// and SimpleITK.
func TestOfficialBraTS(t *testing.T) {
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official script and no Python: make test-official OF=brats MLC=DIR")
	}
	dir := t.TempDir()
	want, err := officialdata.BraTSPreprocessed(filepath.Join(dir, "build"))
	if err != nil {
		t.Fatal(err)
	}
	model, out, post := filepath.Join(dir, "224_224_160.onnx"), filepath.Join(dir, "out"), filepath.Join(dir, "post")
	if err := errors.Join(tinymodel.BraTS(1).Write(model), os.Mkdir(post, 0o755)); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "run", "3d-unet-brats", "--model", model, "--dataset", filepath.Join(dir, "build"), "--mode",
		"accuracy",
		"--scenario", "Offline", "--smoke", "--out", out).WantCode(t, 0)
	logs := filepath.Join(out, "3d-unet-brats", "Offline", "accuracy")
	raw := filepath.Join(dir, "build", "raw_data", "nnUNet_raw_data", "Task043_BraTS2019")
	start := time.Now()
	printed := harness.Finish(t, harness.Command(t, python, filepath.Join(checkout, "retired_benchmarks", "vision",
		"medical_imaging",
		"3d-unet-brats19", "accuracy-brats.py"), "--log_file", filepath.Join(logs, "mlperf_log_accuracy.json"),
		"--preprocessed_data_dir", filepath.Join(dir, "build", "preprocessed_data"), "--postprocessed_data_dir", post,
		"--label_data_dir", filepath.Join(raw, "labelsTr"))).WantCode(t, 0).Stdout
	t.Logf("the official script took %v for %.4f", time.Since(start), want["DICE"])
	ours := strings.SplitN(testfile.Read(t, filepath.Join(logs, "accuracy.txt")), "\n", 2)[0]
	if !strings.HasPrefix(ours, "Accuracy: mean = ") || !strings.Contains(printed, ours) {
		t.Errorf("ours is %s, the official script printed\n%s", ours, printed)
	}
}
