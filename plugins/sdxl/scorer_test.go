package sdxl

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// seers are the scorer's models: what they give depends on the first value that they see. Runs are counted.
type seers struct{ runs int }

func (s *seers) open(_ context.Context, p sdk.Part) (backend.Session, error) {
	session := &part{inputs: p.Model.Inputs, outputs: p.Model.Outputs}
	session.run = func(in []backend.Tensor) []backend.Tensor {
		s.runs++
		if p.Name == inceptionPart {
			row := make([]float32, embeddedFeatures)
			row[0] = backend.View[float32](in[0].Data)[0]
			return []backend.Tensor{floatTensor("", row, 1, embeddedFeatures)}
		}
		seen := backend.View[float32](in[1].Data)[0]
		return []backend.Tensor{floatTensor("", []float32{seen, 1}, 1, 2), floatTensor("", []float32{1, 0}, 1, 2)}
	}
	return session, nil
}

// embeddedFeatures is the width of the embedded statistics.
const embeddedFeatures = 64

func openSeen(t *testing.T, s *seers, o sdk.ScoreOptions) sdk.Scorer {
	t.Helper()
	o.OpenPart = s.open
	scorer, err := New().OpenScorer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return scorer
}

func addGrey(t *testing.T, s sdk.Scorer, sample uint64, level byte) {
	t.Helper()
	if err := s.Add(mllog.AccuracyEntry{
		QSLIndex: sample, Data: slices.Repeat([]byte{level}, 3*64*64),
	}); err != nil {
		t.Fatal(err)
	}
}

// TestScoringGoesOn: a scoring that ended early left its features, which the next one does not make again.
func TestScoringGoesOn(t *testing.T) {
	o := sdk.ScoreOptions{Memory: filepath.Join(t.TempDir(), "log.features-00"), Show: []uint64{3}}
	var first, second seers
	early := openSeen(t, &first, o)
	addGrey(t, early, 3, 10)
	if err := early.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	late := openSeen(t, &second, o)
	addGrey(t, late, 3, 10)
	addGrey(t, late, 4, 200)
	addGrey(t, late, 4, 7)
	r, err := late.Result()
	if err != nil {
		t.Fatal(err)
	}
	if first.runs != 2 || second.runs != 2 || r.Samples != 2 {
		t.Errorf("%d and %d runs, want 2 for each of two pictures; %d samples", first.runs, second.runs, r.Samples)
	}
	notes := strings.Join(r.Notes, "; ")
	for _, want := range []string{"1 entries dropped", "498 of 500 captions", "features of 1 pictures were known"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
	if len(r.Files) != 2 || r.Files[0].Name != "images/3.png" || !strings.HasPrefix(r.OfficialText, "Accuracy Results:") {
		t.Errorf("%d files, %q", len(r.Files), r.OfficialText)
	}
	if left, err := filepath.Glob(o.Memory); err != nil || len(left) > 0 {
		t.Errorf("features are left: %v, %v", left, err)
	}
}

// TestScoringWithoutMemory says why features are not kept.
func TestScoringWithoutMemory(t *testing.T) {
	s := openSeen(t, &seers{}, sdk.ScoreOptions{Memory: filepath.Join(t.TempDir(), "none", "features")})
	addGrey(t, s, 0, 1)
	addGrey(t, s, 1, 2)
	r, err := s.Result()
	if err != nil || !strings.Contains(strings.Join(r.Notes, "; "), "features were not kept") {
		t.Errorf("%q, %v", r.Notes, err)
	}
}

func TestScorerRefuses(t *testing.T) {
	s := openSeen(t, &seers{}, sdk.ScoreOptions{})
	for _, e := range []mllog.AccuracyEntry{{QSLIndex: 0, Data: []byte{1}}, {QSLIndex: 500, Data: make([]byte, 3*64*64)}} {
		if err := s.Add(e); err == nil {
			t.Errorf("sample %d of %d bytes passed", e.QSLIndex, len(e.Data))
		}
	}
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{})
	sdktest.WantError(t, err, "two models", "in a plugin")
	_, err = New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: t.TempDir(), OpenPart: (&seers{}).open})
	sdktest.WantError(t, err, "captions.tsv", "latents.npy", "val2014.npz")
}
