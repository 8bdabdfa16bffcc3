package reasoning

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// scoreOwn scores the worked answers of the first of the plugin's own questions.
func scoreOwn(t *testing.T, params map[string]string) sdk.Score {
	t.Helper()
	const n = 40
	params["tokenizer"] = deepseek(t)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "deepseek-r1", Count: n, Params: params, Exhibits: sdk.MaxExhibits,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range synthetic.DeepSeek()[:n] {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: ids(row.Answer)}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOwnAnswers: the worked answers are right, but for fractions whose truth the official graders do not take as
// equal; of programs that nobody executes nothing is said.
func TestOwnAnswers(t *testing.T) {
	r := scoreOwn(t, map[string]string{})
	if m := r.Metrics[0]; m.Name != withoutProgramsMetric || m.Value < 90 {
		t.Errorf("%+v", r.Metrics)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "programs were not executed") {
		t.Errorf("%q", r.Notes)
	}
}

// TestPythonPrograms executes the programs of the worked answers, with the tests of the plugin's own problems.
func TestPythonPrograms(t *testing.T) {
	python := os.Getenv("PLUMBLINE_PYTHON")
	if python == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python runs this")
	}
	r := scoreOwn(t, map[string]string{"execute": python, "sandbox": "weak"})
	notes := strings.Join(r.Notes, "\n")
	if m := r.Metrics[0]; m.Name != exactMatchMetric || m.Value < 90 || !strings.Contains(r.OfficialText,
		"'exact_match': ") ||
		!strings.Contains(notes, "programs ran by Python") {
		t.Errorf("%+v, %q, %q", r.Metrics, r.OfficialText, notes)
	}
	if !slices.ContainsFunc(r.Exhibits, func(e sdk.Exhibit) bool {
		return strings.HasSuffix(e.Caption, ": right, passed") &&
			strings.Contains(e.Text, "PROBLEM WHOSE TESTS IT IS TO PASS")
	}) {
		t.Errorf("no program is shown that passed: %+v", r.Exhibits)
	}
}

func TestProgramsThatCannotRun(t *testing.T) {
	data := write(t, "data.jsonl", `{"gt_output":"a","dataset":"livecodebench"}`)
	for want, params := range map[string]map[string]string{
		`parameter execute = "/no/such"`:                {"execute": "/no/such"},
		"execute names no interpreter":                  {"sandbox": "weak"},
		`parameter grader = "python:/no/such"`:          {"grader": "python:/no/such"},
		"parameter execute = \"/no/such\": ":            {"execute": "/no/such", "problems": "/none"},
		"want own, or python: and the path of a Python": {"grader": "python:"},
	} {
		params["tokenizer"] = deepseek(t)
		_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "deepseek-r1", Dataset: data, Params: params})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	python := os.Getenv("PLUMBLINE_PYTHON")
	if python == "" {
		return
	}
	bad := write(t, "test.jsonl", `{"question_id":"a"}`)
	for want, params := range map[string]map[string]string{
		"parameter problems is missing":     {},
		"parameter problems: ":              {"problems": bad},
		"it has no text in public_test_cas": {"problems": bad},
	} {
		params["tokenizer"], params["execute"], params["sandbox"] = deepseek(t), python, "weak"
		_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "deepseek-r1", Dataset: data, Params: params})
		if err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, sdk.ErrUsage) && !errors.Is(err, sdk.ErrData) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New(), "tokenizer=embedded") }
