package reasoning

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores whole logs as `harness score` does: a data set in an official form, a log, a tokenizer. Logs
// that LoadGen would not write are left to package accuracy/reasoning.
func TestGoldenScores(t *testing.T) { scoreGolden(t, false, nil) }

// TestPythonGoldenScores does the same with logs that have programs.
func TestPythonGoldenScores(t *testing.T) {
	python := os.Getenv("PLUMBLINE_PYTHON")
	if python == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python runs this")
	}
	scoreGolden(t, true, map[string]string{"execute": python})
}

// scoreGolden scores the logs that have programs, or those that have none.
func scoreGolden(t *testing.T, programs bool, params map[string]string) {
	for model, tokenizer := range map[string]string{
		"deepseek-r1": "tokenizer_deepseek", "gpt-oss-120b": "tokenizer_harmony",
	} {
		golden.Each(t, "reasoning/logs/"+model+"/*/expected.json", func(t *testing.T, path string) {
			var want struct {
				Exit       int
				ResultLine string `json:"result_line"`
				Stdout     string
				Problems   *string
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
			if want.Exit != 0 || strings.Contains(sets, "livecodebench") != programs || programs && want.Problems == nil {
				t.Skip("its programs are another test's, or the official script ends early or lacks the problems")
			}
			log := filepath.Join(dir, "mlperf_log_accuracy.json")
			if err := readable(log); err != nil {
				t.Skipf("LoadGen writes no such log: %v", err)
			}
			root := filepath.Join(dir, "..", "..", "..")
			all := map[string]string{"tokenizer": filepath.Join(root, tokenizer)}
			if maps.Copy(all, params); programs {
				all["problems"] = filepath.Join(root, "code", "problems.jsonl")
			}
			s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: model, Dataset: data, Params: all})
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
