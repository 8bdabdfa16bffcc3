package llm

import (
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenPrompts makes GPT-J's prompts of articles: filled in, tokenised and cut as the reference does it.
func TestGoldenPrompts(t *testing.T) {
	golden.Each(t, "preprocess/gptj_prompts/expected.json", func(t *testing.T, path string) {
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
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		w := mustOpen(t, sdk.Options{
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
				t.Errorf("prompt %d has %d ids %v ..., sha256 %s; want %d, %v ..., %s", i, len(ids), ids[:min(8, len(ids))], sum,
					row.N, row.Head[:8], row.SHA256)
			}
		}
	})
}

// TestGoldenSummaries scores GPT-J's cases as `harness score` does: articles, a log, a tokenizer, a dtype.
func TestGoldenSummaries(t *testing.T) {
	golden.Each(t, "scorers/rouge_gptj/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args  struct{ DType string }
			Means map[string]float64 `json:"means_percent_full"`
			Len   float64            `json:"gen_len"`
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Model: "gptj", Dataset: filepath.Join(dir, "cnn_eval.json"), Params: map[string]string{
				"tokenizer": filepath.Join(dir, "tokenizer"), "dtype": want.Args.DType,
				"punkt": filepath.Join(dir, "punkt_tab_english")},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		want.Means["gen_len"] = want.Len
		for _, m := range got.Metrics {
			if v, ok := want.Means[m.Name]; !ok || math.Abs(m.Value-v) > 1e-9 {
				t.Errorf("%s = %v, want %v", m.Name, m.Value, v)
			}
		}
		if len(got.Metrics) != 4 || !strings.Contains(got.OfficialText,
			"'rougeLsum': "+fmt.Sprint(math.Round(want.Means["rougeLsum"]*1e4)/1e4)) {
			t.Errorf("metrics %v, %q", got.Metrics, got.OfficialText)
		}
	})
}
