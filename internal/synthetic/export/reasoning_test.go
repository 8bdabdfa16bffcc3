package export

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
)

// lines returns the JSON lines of a file.
func lines[T any](t *testing.T, path string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	for d.More() {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func TestReasoning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := Reasoning(t.Context(), path, reasoning.DeepSeek(), 490, 500); err != nil {
		t.Fatal(err)
	}
	rows := lines[reasoningRow](t, path)
	if len(rows) != 10 {
		t.Fatalf("%d rows, want 10", len(rows))
	}
	for i, got := range rows {
		want := reasoning.DeepSeek()[490+i]
		if got.Text != want.Question || got.Truth != want.Truth || got.Dataset != want.Dataset {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
	}
	if err := Reasoning(t.Context(), path, reasoning.DeepSeek(), 490, 501); err == nil {
		t.Error("row 501 of 500 is written")
	}
}

func TestReasoningTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	encode := func(question string) []int32 { return []int32{int32(len(question)), 7} }
	if err := ReasoningTokens(t.Context(), path, reasoning.GPTOSS(), 0, 500, encode); err != nil {
		t.Fatal(err)
	}
	rows := lines[tokenRow](t, path)
	if len(rows) != 500 {
		t.Fatalf("%d rows, want 500", len(rows))
	}
	for i, want := range reasoning.GPTOSS() {
		got := rows[i]
		if len(got.Tokens) != 2 || got.Tokens[0] != int32(len(want.Question)) || got.Truth != want.Truth ||
			got.Dataset != want.Dataset {
			t.Errorf("row %d is %+v, want %+v", i, got, want)
		}
	}
}

// TestReasoningProblems: each problem is written once, although each of its rows is asked three times.
func TestReasoningProblems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.jsonl")
	if err := ReasoningProblems(t.Context(), path, reasoning.GPTOSS(), 0, 500); err != nil {
		t.Fatal(err)
	}
	written := lines[map[string]string](t, path)
	problems := reasoning.GPTOSS().Problems()
	if len(written) != 20 || len(problems) != 20 {
		t.Fatalf("%d of %d problems, want 20", len(written), len(problems))
	}
	for i, p := range problems {
		if written[i]["question_id"] != p.ID || written[i]["question_content"] != p.Content {
			t.Errorf("problem %d is %v, want %+v", i, written[i], p)
		}
	}
}
