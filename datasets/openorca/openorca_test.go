package openorca

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "open_orca.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t, `{"system_prompt":"Be.","question":"Q","input":"[INST] Q [/INST]","tok_input":[1,1087],"output":"A"}
{"system_prompt":"","question":"R","output":"B"}
`)
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := s.Question(0)
	if s.Len() != 2 || q.System != "Be." || q.Question != "Q" || q.Prompt != "[INST] Q [/INST]" ||
		!slices.Equal(q.Tokens, []int32{1, 1087}) {
		t.Errorf("%d questions, %+v", s.Len(), q)
	}
	labels, err := Open(path, Options{LabelsOnly: true, Count: 1})
	if err != nil || labels.Len() != 1 || labels.Question(0).Output != "A" {
		t.Errorf("%+v, %v", labels, err)
	}
}

func TestFaults(t *testing.T) {
	_, err := Open(write(t, `{"output":"A","question":"x"}{"output":"B"}{"output":["C"],"input":"x"}`), Options{})
	var faults *FaultError
	if !errors.Is(err, ErrDataset) || !errors.As(err, &faults) || len(faults.Faults) != 2 {
		t.Fatalf("%v, want two faults", err)
	}
	for _, part := range []string{"record 1: it has neither", "record 2: output: found"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if _, err := Open(write(t, "\x80\x04pickle"), Options{}); !errors.Is(err, ErrDataset) ||
		!strings.Contains(err.Error(), "convert.py") {
		t.Errorf("a pickle: %v", err)
	}
}
