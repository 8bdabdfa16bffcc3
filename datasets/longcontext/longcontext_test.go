package longcontext

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
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t, `{"input":"I","tok_input":[128000,5],"gt_output":"O","metric":"qa_em"}`)
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x := s.Task(0); s.Len() != 1 || x.Input != "I" || x.Output != "O" || x.Metric != "qa_em" ||
		!slices.Equal(x.Tokens, []int32{128000, 5}) {
		t.Errorf("%+v", x)
	}
	labels, err := Open(path, Options{LabelsOnly: true})
	if err != nil || labels.Task(0).Input != "" || labels.Task(0).Output != "O" {
		t.Errorf("%+v, %v", labels, err)
	}
}

func TestFaults(t *testing.T) {
	_, err := Open(write(t, `{"gt_output":"A","metric":"rouge"}{"gt_output":"B","metric":"bleu","input":"x"}`), Options{})
	var faults *FaultError
	if !errors.Is(err, ErrDataset) || !errors.As(err, &faults) || len(faults.Faults) != 2 {
		t.Fatalf("%v, want two faults", err)
	}
	for _, part := range []string{"record 0: it has neither", `record 1: metric "bleu"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

// TestGoldenRecords reads the records of the scorer's cases.
func TestGoldenRecords(t *testing.T) {
	golden.Each(t, "scorers/llama3_405b/*/ground_truth.json", func(t *testing.T, path string) {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []struct {
			Output string `json:"gt_output"`
			Metric string
		}
		golden.ReadJSON(t, path, &want)
		if s.Len() != len(want) {
			t.Fatalf("%d tasks, want %d", s.Len(), len(want))
		}
		for i, w := range want {
			if x := s.Task(i); x.Output != w.Output || x.Metric != w.Metric {
				t.Errorf("task %d: %+v", i, x)
			}
		}
	})
}
