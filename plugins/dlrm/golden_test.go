package dlrm

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// scripted is what the official script did with a log.
type scripted struct {
	Args   []string
	Stdout string
	Dump   struct{ AUC any } // "NaN" where it is undefined
}

// percent is the official AUC, in percent.
func (c scripted) percent() float64 {
	if v, ok := c.Dump.AUC.(float64); ok {
		return 100 * v
	}
	return math.NaN()
}

// options are the script's, as `harness score` takes them. Files of labels lie in the case's folder.
func (c scripted) options(dir string) sdk.ScoreOptions {
	o := sdk.ScoreOptions{Params: map[string]string{}}
	for i := 0; i+1 < len(c.Args); i += 2 {
		switch value := c.Args[i+1]; c.Args[i] {
		case "--dtype":
			o.Params["dtype"] = value
		case "--day-23-file":
			o.Dataset, o.Params["labels"] = dir, "dataset"
		case "--aggregation-trace-file":
			o.Params["trace"] = filepath.Join(dir, value)
		}
	}
	return o
}

// TestGoldenScores scores the official script's cases as `harness score` does, as either model.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/dlrm/*/expected.json", func(t *testing.T, path string) {
		var want scripted
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		for _, model := range []string{"dlrm-v2", "dlrm"} {
			o := want.options(dir)
			o.Model = model
			s, err := New().OpenScorer(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
			checkScore(t, got, want)
		}
	})
}

func checkScore(t *testing.T, got sdk.Score, want scripted) {
	t.Helper()
	value, official := got.Metrics[0].Value, want.percent()
	if math.IsNaN(value) != math.IsNaN(official) || math.Abs(value-official) > 1e-10 {
		t.Errorf("AUC %v, want %v", value, official)
	}
	if !slices.Contains(strings.Split(want.Stdout, "\n"), got.OfficialText) {
		t.Errorf("text %q, want a line of\n%s", got.OfficialText, want.Stdout)
	}
}
