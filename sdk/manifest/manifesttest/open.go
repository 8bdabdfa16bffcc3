package manifesttest

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

const (
	maxFileBytes  = 4 << 20 // maximum size of one embedded file in bytes
	maxTotalBytes = 5 << 20 // maximum size of all embedded files in bytes
)

// checkEmbeddedFiles opens each embedded file of each model by its precision and by its name, and the fp32 file by
// default.
func (s benchmarkSuite) checkEmbeddedFiles(t *testing.T) {
	for _, m := range s.described.Models {
		for _, f := range m.Files {
			if !f.Embedded {
				continue
			}
			s.checkFile(t, m, f, sdk.Options{Model: m.Name, Precision: f.Precision, Count: 2})
			s.checkFile(t, m, f, sdk.Options{Model: m.Name, ModelFile: f.Name, Count: 1})
			if f.Precision == "fp32" {
				s.checkFile(t, m, f, sdk.Options{Model: m.Name, Count: 1})
			}
		}
	}
	first := s.described.Models[0]
	s.checkFile(t, first, first.Files[0], sdk.Options{})
}

// checkFile checks that the workload opened by o has the described size, digest and data set. A name and a precision
// select a file of each part.
func (s benchmarkSuite) checkFile(t *testing.T, m sdk.ModelInfo, f sdk.ModelFile, o sdk.Options) {
	t.Helper()
	w, err := s.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	for _, part := range w.Parts() {
		if part.Name == f.Part {
			checkModelBytes(t, o, f, part.Model)
		}
	}
	want := cmp.Or(o.Count, m.Datasets[0].Samples)
	if w.Len() != want {
		t.Errorf("%+v: %d samples; the description says %+v", o, w.Len(), m.Datasets[0])
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// checkModelBytes compares a model with its entry, and then overwrites its bytes, because each opening must return a
// copy.
func checkModelBytes(t *testing.T, o sdk.Options, f sdk.ModelFile, model backend.Model) {
	t.Helper()
	if model.Path != "" || model.Name != f.Name {
		t.Errorf("%+v: path %q, name %q", o, model.Path, model.Name)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(model.Bytes)); f.SHA256 != sum || f.Size != int64(len(model.Bytes)) {
		t.Errorf("%+v: %s has %d bytes, sha256 %s; the card says %d, %s", o, f.Name, len(model.Bytes), sum, f.Size, f.SHA256)
	}
	clear(model.Bytes)
}

// checkSizes checks that the embedded files of all models are small enough for a repository.
func (s benchmarkSuite) checkSizes(t *testing.T) {
	total, counted := int64(0), map[string]bool{}
	for _, m := range s.described.Models {
		for _, f := range m.Files {
			if !f.Embedded || counted[f.SHA256] {
				continue
			}
			counted[f.SHA256] = true
			if total += f.Size; f.Size > maxFileBytes {
				t.Errorf("%s has %d bytes, want at most %d", f.Name, f.Size, maxFileBytes)
			}
		}
	}
	if total > maxTotalBytes {
		t.Errorf("the embedded files have %d bytes together, want at most %d", total, maxTotalBytes)
	}
}

// checkOfficialDefaults opens a user's model file, and a scorer, with a missing data set. This must be the only fault;
// the parameters' defaults must be valid.
func (s benchmarkSuite) checkOfficialDefaults(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "none")
	for _, m := range s.described.Models {
		o := sdk.Options{Model: m.Name, Dataset: nowhere, Params: s.params, PartFiles: map[string]string{}}
		for _, p := range m.Parts {
			o.PartFiles[p.Name] = ModelFile(t)
		}
		if len(m.Parts) == 0 {
			o.ModelFile = ModelFile(t)
		}
		_, errOpen := s.Open(t.Context(), o)
		_, errScore := s.OpenScorer(t.Context(), sdk.ScoreOptions{Model: m.Name, Dataset: nowhere, Params: s.params})
		for _, err := range []error{errOpen, errScore} {
			if !errors.Is(err, sdk.ErrData) || errors.Is(err, sdk.ErrUsage) {
				t.Errorf("%s: error %v, want that the data set is not there, and no other", m.Name, err)
			}
		}
	}
}
