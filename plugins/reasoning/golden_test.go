package reasoning

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores whole logs as `harness score` does: a data set in an official form, a log, a tokenizer. Logs
// with programs, and those that LoadGen would not write, are left to package accuracy/reasoning.
func TestGoldenScores(t *testing.T) {
	for model, tokenizer := range map[string]string{
		"deepseek-r1": "tokenizer_deepseek", "gpt-oss-120b": "tokenizer_harmony",
	} {
		golden.Each(t, "reasoning/logs/"+model+"/*/expected.json", func(t *testing.T, path string) {
			var want struct {
				Exit       int
				ResultLine string `json:"result_line"`
				Stdout     string
			}
			golden.ReadJSON(t, path, &want)
			dir := filepath.Dir(path)
			data := filepath.Join(dir, "data.parquet")
			if _, err := os.Stat(data); err != nil {
				data = filepath.Join(dir, "data.json")
			}
			text, err := os.ReadFile(filepath.Join(dir, "data.json"))
			if err != nil {
				t.Fatal(err)
			}
			sets := strings.ToLower(string(text))
			if want.Exit != 0 || strings.Contains(sets, "livecodebench") {
				t.Skip("it has programs, or the official script ends early")
			}
			log := filepath.Join(dir, "mlperf_log_accuracy.json")
			if err := readable(log); err != nil {
				t.Skipf("LoadGen writes no such log: %v", err)
			}
			s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
				Model: model, Dataset: data, Params: map[string]string{
					"tokenizer": filepath.Join(dir, "..", "..", "..", tokenizer),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := sdktest.Score(t, s, log)
			if !strings.Contains(got.OfficialText, want.ResultLine) || !strings.Contains(got.OfficialText, want.Stdout) {
				t.Errorf("%q, want %q%q", got.OfficialText, want.ResultLine, want.Stdout)
			}
			notes := strings.Join(got.Notes, "\n")
			if filepath.Base(dir) == "math" && !strings.Contains(notes, "by what decided: first normal form") {
				t.Errorf("the notes do not say what decided: %s", notes)
			}
		})
	}
}

// readable says what is wrong with a log's form.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for r := mllog.NewAccuracyReader(f); ; {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
