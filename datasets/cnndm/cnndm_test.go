package cnndm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cnn_eval.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t,
		`[{"instruction":"I","input":"A","output":"S"},{"input":"B","output":"","tok_input":[1,2]},{"tok_input":[3],`+
			`"output":"U"}]`)
	s, err := Open(path, Options{Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Article(0); s.Len() != 2 || a.Instruction != "I" || a.Input != "A" || a.Output != "S" || a.Tokens != nil {
		t.Errorf("%+v", a)
	}
	if a := s.Article(1); a.Input != "B" || !slices.Equal(a.Tokens, []int32{1, 2}) {
		t.Errorf("%+v", a)
	}
	labels, err := Open(path, Options{LabelsOnly: true})
	if err != nil || labels.Len() != 3 || labels.Article(0).Input != "" {
		t.Fatalf("%+v, %v", labels, err)
	}
	for i, want := range []string{"S", "", "U"} {
		if got := labels.Article(i).Output; got != want {
			t.Errorf("summary %d is %q, want %q", i, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	_, err := Open(write(t, `[{"output":"S","input":"x"},{"output":"S"},{"input":5}]`), Options{})
	var faults *FaultError
	if !errors.Is(err, ErrDataset) || !errors.As(err, &faults) || len(faults.Faults) != 2 {
		t.Fatalf("%v, want two faults", err)
	}
	for _, part := range []string{"record 1: it has neither", "record 2: output: it is missing"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, ErrDataset) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestGoldenPrompts reads the articles of the prompt cases.
func TestGoldenPrompts(t *testing.T) {
	golden.Each(t, "preprocess/gptj_prompts/cnn_eval.json", func(t *testing.T, path string) {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []struct{ Instruction, Input, Output string }
		golden.ReadJSON(t, path, &want)
		if s.Len() != len(want) {
			t.Fatalf("%d articles, want %d", s.Len(), len(want))
		}
		for i, w := range want {
			if a := s.Article(i); a.Instruction != w.Instruction || a.Input != w.Input || a.Output != w.Output {
				t.Errorf("article %d: %+v", i, a)
			}
		}
	})
}
