package dlrm

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// golden is what the official script did with a log.
type golden struct {
	Args   []string
	Stdout string
	Dump   struct{ AUC any } // "NaN" where it is undefined
}

// percent is the official AUC, in percent.
func (g golden) percent() float64 {
	if v, ok := g.Dump.AUC.(float64); ok {
		return 100 * v
	}
	return math.NaN()
}

// options are the script's, as `harness score` takes them. Files of labels lie in the case's folder.
func (g golden) options(dir string) sdk.ScoreOptions {
	o := sdk.ScoreOptions{Params: map[string]string{}}
	for i := 0; i+1 < len(g.Args); i += 2 {
		switch value := g.Args[i+1]; g.Args[i] {
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
	eachCase(t, "dlrm", func(t *testing.T, dir string) {
		var want golden
		text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
		if err := errors.Join(err, json.Unmarshal(text, &want)); err != nil {
			t.Fatal(err)
		}
		for _, model := range []string{"dlrm-v2", "dlrm"} {
			o := want.options(dir)
			o.Model = model
			s, err := New().OpenScorer(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
			got, err := s.Result()
			if err != nil {
				t.Fatal(err)
			}
			checkScore(t, got, want)
		}
	})
}

func checkScore(t *testing.T, got sdk.Score, want golden) {
	t.Helper()
	value, official := got.Metrics[0].Value, want.percent()
	if math.IsNaN(value) != math.IsNaN(official) || math.Abs(value-official) > 1e-10 {
		t.Errorf("AUC %v, want %v", value, official)
	}
	if !slices.Contains(strings.Split(want.Stdout, "\n"), got.OfficialText) {
		t.Errorf("text %q, want a line of\n%s", got.OfficialText, want.Stdout)
	}
}

func addLog(t *testing.T, s sdk.Scorer, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := mllog.NewAccuracyReader(f)
	for {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err := errors.Join(err, s.Add(e)); err != nil {
			t.Fatal(err)
		}
	}
}

// eachCase runs check on every case of a kind, of this checkout and, where it is present, of the full set beside it.
func eachCase(t *testing.T, kind string, check func(t *testing.T, dir string)) {
	roots := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err == nil {
		roots = append(roots, shared)
	} else {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
	}
	for _, root := range roots {
		cases, err := filepath.Glob(filepath.Join(root, "scorers", kind, "*"))
		if err != nil || len(cases) == 0 {
			t.Errorf("no cases below %s/scorers/%s: %v", root, kind, err)
		}
		for _, dir := range cases {
			t.Run(filepath.Join(root, filepath.Base(dir)), func(t *testing.T) { check(t, dir) })
		}
	}
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the test's folder")
		}
	}
}
