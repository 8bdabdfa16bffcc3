package llm

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestGoldenPrompts makes GPT-J's prompts of articles: filled in, tokenised and cut as the reference does it.
func TestGoldenPrompts(t *testing.T) {
	eachCase(t, filepath.Join("preprocess", "gptj_prompts"), func(t *testing.T, dir string) {
		var want struct {
			Rows []struct {
				N       int     `json:"n_tokens"`
				Head    []int32 `json:"ids_head"`
				Tail    []int32 `json:"ids_tail"`
				SHA256  string  `json:"ids_sha256_i64"`
				Source  string  `json:"source_sha256"`
				AllOnes bool    `json:"mask_all_ones"`
			}
		}
		readExpected(t, dir, &want)
		w := open(t, sdk.Options{
			Model: "gptj", Dataset: filepath.Join(dir, "cnn_eval.json"), Params: map[string]string{"tokenizer": dir},
		})
		if w.Len() != len(want.Rows) {
			t.Fatalf("%d prompts, want %d", w.Len(), len(want.Rows))
		}
		for i, row := range want.Rows {
			ids := promptOf(t, w, i).Tokens
			wide := make([]int64, len(ids))
			for j, id := range ids {
				wide[j] = int64(id)
			}
			sum := fmt.Sprintf("%x", sha256.Sum256(backend.Bytes(wide)))
			if len(ids) != row.N || sum != row.SHA256 || !slices.Equal(ids[:len(row.Head)], row.Head) {
				t.Errorf("prompt %d has %d ids %v ..., sha256 %s; want %d, %v ..., %s", i, len(ids), ids[:min(8, len(ids))], sum, row.N, row.Head[:8], row.SHA256)
			}
		}
	})
}

// TestGoldenSummaries scores GPT-J's cases as `harness score` does: articles, a log, a tokenizer, a dtype.
func TestGoldenSummaries(t *testing.T) {
	eachCase(t, filepath.Join("scorers", "rouge_gptj", "*"), func(t *testing.T, dir string) {
		var want struct {
			Args  struct{ DType string }
			Means map[string]float64 `json:"means_percent_full"`
			Len   float64            `json:"gen_len"`
		}
		readExpected(t, dir, &want)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Model: "gptj", Dataset: filepath.Join(dir, "cnn_eval.json"), Params: map[string]string{
				"tokenizer": filepath.Join(dir, "tokenizer"), "dtype": want.Args.DType, "punkt": filepath.Join(dir, "punkt_tab_english")},
		})
		if err != nil {
			t.Fatal(err)
		}
		addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		want.Means["gen_len"] = want.Len
		for _, m := range got.Metrics {
			if v, ok := want.Means[m.Name]; !ok || math.Abs(m.Value-v) > 1e-9 {
				t.Errorf("%s = %v, want %v", m.Name, m.Value, v)
			}
		}
		if len(got.Metrics) != 4 || !strings.Contains(got.OfficialText, "'rougeLsum': "+fmt.Sprint(math.Round(want.Means["rougeLsum"]*1e4)/1e4)) {
			t.Errorf("metrics %v, %q", got.Metrics, got.OfficialText)
		}
	})
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

func readExpected(t *testing.T, dir string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// eachCase runs check on every folder that matches pattern, of this checkout's cases and, where it is present, of the full
// set beside it.
func eachCase(t *testing.T, pattern string, check func(t *testing.T, dir string)) {
	t.Helper()
	found := 0
	for _, root := range roots(t) {
		cases, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		found += len(cases)
		for _, dir := range cases {
			t.Run(filepath.Join(root, filepath.Base(dir)), func(t *testing.T) { check(t, dir) })
		}
	}
	if found == 0 {
		t.Skipf("no cases %s", pattern)
	}
}

func roots(t *testing.T) []string {
	t.Helper()
	own := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
		return own
	}
	return append(own, shared)
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
