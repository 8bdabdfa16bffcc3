// Package texttoimage tests the text-to-image benchmark from captions to scores. plugins/sdxl imports no backend; here
// its networks run on ONNX Runtime.
package texttoimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/sdxl"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// textToImage is a case: a random model with Stable Diffusion XL's shape in the official layout, and the reference's
// results.
type textToImage struct {
	Samples int
	SHA     []string `json:"image_sha256"`
	Scorer  struct {
		Scores    []float64 `json:"clip_score_per_sample"`
		CLIP      float64   `json:"CLIP_SCORE"`
		FID       float64   `json:"FID_SCORE"`
		Tolerance struct {
			CLIP float64 `json:"clip_score"`
			FID  float64 `json:"fid_relative"`
		}
	}
	Tolerance struct {
		Levels int
		Share  float64 `json:"share_of_bytes"`
	} `json:"image_tolerance"`

	dir      string
	pictures [][]byte // of the reference's log
}

// TestGoldenTextToImage makes the pictures of the reference's log from its captions and latent, with all networks on
// ONNX Runtime, and scores those of the log.
func TestGoldenTextToImage(t *testing.T) {
	b := onnxRuntime(t)
	golden.Each(t, "text_to_image/e2e/expected.json", func(t *testing.T, path string) {
		want := textToImage{dir: filepath.Dir(path)}
		golden.ReadJSON(t, path, &want)
		want.pictures = make([][]byte, want.Samples)
		golden.AddLog(t, want.dir, func(index uint64, payload []byte) error {
			want.pictures[index] = payload
			return nil
		})
		t.Run("pictures", func(t *testing.T) { want.checkPictures(t, b) })
		t.Run("scores", func(t *testing.T) { want.checkScores(t, b) })
	})
}

// checkPictures makes the pictures in batches of 1, 2, 3 ...
func (want *textToImage) checkPictures(t *testing.T, b ort.Backend) {
	t.Helper()
	w, run := want.open(t, b)
	if w.Len() != want.Samples {
		t.Fatalf("%d captions, want %d", w.Len(), want.Samples)
	}
	differ, all, worst := 0, 0, 0
	for from, size := 0, 1; from < w.Len(); from, size = from+size, size+1 {
		var samples []sdk.Sample
		for i := from; i < min(from+size, w.Len()); i++ {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
		}
		var p sdk.Payloads
		if err := run.Run(t.Context(), samples, &p); err != nil {
			t.Fatal(err)
		}
		for i := range p.Len() {
			picture := p.At(i)
			for at, v := range want.pictures[from+i] {
				apart := max(int(v), int(picture[at])) - min(int(v), int(picture[at]))
				worst, all = max(worst, apart), all+1
				if apart > 0 {
					differ++
				}
			}
		}
	}
	t.Logf("%d of %d bytes differ, by at most %d levels", differ, all, worst)
	if worst > want.Tolerance.Levels || float64(differ) > want.Tolerance.Share*float64(all) || all == 0 {
		t.Errorf("%d of %d bytes differ, by at most %d levels; want %+v", differ, all, worst, want.Tolerance)
	}
}

// open opens the benchmark with the case's model and data.
func (want *textToImage) open(t *testing.T, b ort.Backend) (sdk.Workload, sdk.Run) {
	t.Helper()
	o := sdk.Options{PartFiles: map[string]string{}, Dataset: filepath.Join(want.dir, "data")}
	for _, part := range []string{"text_encoder", "text_encoder_2", "unet", "vae_decoder"} {
		o.PartFiles[part] = filepath.Join(want.dir, "model", part, "model.onnx")
	}
	w, err := sdxl.New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	sessions := sdk.Sessions{}
	for _, p := range w.Parts() {
		sessions[p.Name] = openPart(t, b, p)
	}
	run, err := w.(sdk.Runner).NewRun(sessions)
	if err != nil {
		t.Fatal(err)
	}
	return w, run
}

func openPart(t *testing.T, b ort.Backend, p sdk.Part) backend.Session {
	t.Helper()
	s, err := b.Open(t.Context(), p.Model, backend.Config{LowLatency: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkScores scores the pictures of the reference's own log, all together and in pairs.
func (want *textToImage) checkScores(t *testing.T, b ort.Backend) {
	t.Helper()
	for i, pixels := range want.pictures {
		if sum := sha256.Sum256(pixels); hex.EncodeToString(sum[:]) != want.SHA[i] {
			t.Fatalf("picture %d is another one", i)
		}
	}
	all := want.score(t, b, 0, want.Samples)
	clip, fid := all.Metrics[0].Value, all.Metrics[1].Value
	if math.Abs(clip-want.Scorer.CLIP) > want.Scorer.Tolerance.CLIP ||
		math.Abs(fid-want.Scorer.FID) > want.Scorer.Tolerance.FID*want.Scorer.FID || all.Samples != want.Samples {
		t.Errorf("%+v; want CLIP_SCORE %v, FID_SCORE %v", all, want.Scorer.CLIP, want.Scorer.FID)
	}
	for i := range want.Samples - 1 {
		pair := (want.Scorer.Scores[i] + want.Scorer.Scores[i+1]) / 2
		if got := want.score(t, b, i, i+2).Metrics[0].Value; math.Abs(got-pair) > want.Scorer.Tolerance.CLIP {
			t.Errorf("pictures %d and %d: %v, want %v", i, i+1, got, pair)
		}
	}
}

// score returns the benchmark's score of some of the pictures.
func (want *textToImage) score(t *testing.T, b ort.Backend, from, to int) sdk.Score {
	t.Helper()
	scorer := filepath.Join(want.dir, "scorer")
	s, err := sdxl.New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: filepath.Join(want.dir, "data"),
		PartFiles: map[string]string{
			"clip": filepath.Join(scorer, "clip.onnx"), "inception": filepath.Join(scorer, "features.onnx"),
		},
		Params: map[string]string{
			"statistics":        filepath.Join(scorer, "statistics.npz"),
			"scorer_vocabulary": filepath.Join(want.dir, "..", "tokenizer", "tokenizer"),
		},
		OpenPart: func(_ context.Context, p sdk.Part) (backend.Session, error) { return openPart(t, b, p), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: want.pictures[i]}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func onnxRuntime(t testing.TB) ort.Backend {
	t.Helper()
	path, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("no ONNX Runtime: %v", err)
	}
	return ort.Backend{Library: path}
}
