package bert

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// TestGoldenScores scores the official script's cases as `harness score` does: data set, vocabulary, a log, its options.
func TestGoldenScores(t *testing.T) {
	eachCase(t, func(t *testing.T, dir string) {
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
		text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir, Params: map[string]string{
			"dtype": want.Args.DType, "transposed": strconv.FormatBool(want.Args.Transposed), "max_examples": strconv.Itoa(want.Args.MaxExamples),
		}})
		if err != nil {
			t.Fatal(err)
		}
		addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if f1, exact := got.Metrics[0].Value, got.Metrics[1].Value; !near(f1, want.Result.F1) || !near(exact, want.Result.ExactMatch) {
			t.Errorf("got F1 %v, exact match %v; want %+v", f1, exact, want.Result)
		}
	})
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Abs(want) }

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

// eachCase runs check on every case, of this checkout (those of accuracy/squad) and, where it is present, of the full set.
func eachCase(t *testing.T, check func(t *testing.T, dir string)) {
	root := projectRoot(t)
	roots := []string{filepath.Join(root, "accuracy", "squad", "testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err == nil {
		roots = append(roots, shared)
	} else {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
	}
	for _, root := range roots {
		cases, err := filepath.Glob(filepath.Join(root, "scorers", "squad", "*"))
		if err != nil || len(cases) == 0 {
			t.Errorf("no cases below %s: %v", root, err)
		}
		for _, dir := range cases {
			t.Run(filepath.Join(filepath.Base(root), filepath.Base(dir)), func(t *testing.T) { check(t, dir) })
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
