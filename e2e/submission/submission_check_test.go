package submission

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestSubmissionCheckGolden checks the two valid reference trees, and then each with one fault.
func TestSubmissionCheckGolden(t *testing.T) {
	for base, c := range map[string]struct{ file, found string }{
		"edge": {"closed/Toylab/results/toy_edge/resnet50/Offline/measurements.json",
			"reject measurements  measurements.json: the description of the model is missing"},
		"datacenter": {"closed/Toylab/results/toy_dc/llama3.1-8b/Server/TEST06/verify_accuracy.txt",
			"reject audit-06  TEST06/verify_accuracy.txt: a verdict is missing"},
	} {
		root := t.TempDir()
		untar(t, filepath.Join(golden.Root(t), "submission", "base", base+".tar.gz"), root)
		harness.Run(t, "submission", "check", root).WantCode(t, 0).WantOutput(t, "verdict by the rules v6.1: accept")
		if err := os.Remove(filepath.Join(root, c.file)); err != nil {
			t.Fatal(err)
		}
		harness.Run(t, "submission", "check", root).WantCode(t, 3).WantOutput(t, c.found, "1 rejected", "1 reject,",
			"verdict by the rules v6.1: reject")
	}
}

// untar unpacks an archive of regular files.
func untar(t *testing.T, archive, to string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(to, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, name, string(text))
	}
}
