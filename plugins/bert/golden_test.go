package bert

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// ownCases are those of the metric.
const ownCases = "../../accuracy/squad/testdata/golden"

// TestGoldenScores scores the official script's cases as `harness score` does: data set,
// vocabulary, a log, its options.
func TestGoldenScores(t *testing.T) {
	golden.EachBelow(t, ownCases, "scorers/squad/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType       string `json:"output_dtype"`
				Transposed  bool   `json:"output_transposed"`
				MaxExamples int    `json:"max_examples"`
			}
			Result struct {
				ExactMatch float64 `json:"exact_match"`
				F1         float64
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir, Params: map[string]string{
			"dtype": want.Args.DType, "transposed": strconv.FormatBool(want.Args.Transposed),
			"max_examples": strconv.Itoa(want.Args.MaxExamples),
		}})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if f1, exact := got.Metrics[0].Value, got.Metrics[1].Value; !near(f1, want.Result.F1) ||
			!near(exact, want.Result.ExactMatch) {
			t.Errorf("got F1 %v, exact match %v; want %+v", f1, exact, want.Result)
		}
	})
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Abs(want) }
