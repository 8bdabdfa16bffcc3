package rnnt

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores the official script's cases as `harness score` does: a data set's manifest, a log, a dtype.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/rnnt/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType string `json:"output_dtype"`
			}
			Stdout string
			WER    float64 `json:"wer_percent"`
			Kept   int     `json:"n_kept"`
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Dataset: dir, Params: map[string]string{"dtype": want.Args.DType},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if m := got.Metrics; math.Abs(m[1].Value-want.WER) > 1e-9 || got.OfficialText != want.Stdout {
			t.Errorf("got %v and %q, want %+v", m, got.OfficialText, want)
		}
		last := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(want.Kept - 1)})
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(want.Kept)}); !errors.Is(err, wer.ErrIndex) ||
			errors.Is(last, wer.ErrIndex) {
			t.Errorf("the last of %d clips: %v, the one behind it: %v", want.Kept, last, err)
		}
	})
}
