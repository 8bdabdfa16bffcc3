package mixture

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
	path := filepath.Join(t.TempDir(), "mixtral.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t,
		`{"dataset":"MBXP","id":"cpp_1","input":"I","tok_input":[1,2],"gt_output":"O"}{"dataset":"GSM8K","id":"2",`+
			`"input":"I","gt_output":42}`)
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x := s.Sample(0); s.Len() != 2 || x.Source != "MBXP" || x.ID != "cpp_1" || x.Input != "I" || x.Output != "O" ||
		!slices.Equal(x.Tokens, []int32{1, 2}) {
		t.Errorf("%+v", x)
	}
	labels, err := Open(path, Options{LabelsOnly: true})
	if err != nil || labels.Sample(0).Input != "" || labels.Sample(1).Output != "42" {
		t.Errorf("%+v, %v", labels, err)
	}
}

func TestFaults(t *testing.T) {
	_, err := Open(write(t,
		`{"dataset":"MBXP","id":"1","gt_output":"A"}{"dataset":"C4","id":"2","gt_output":"B","input":"x"}`), Options{})
	var faults *FaultError
	if !errors.Is(err, ErrDataset) || !errors.As(err, &faults) || len(faults.Faults) != 2 {
		t.Fatalf("%v, want two faults", err)
	}
	for _, part := range []string{"record 0: it has neither", `record 1: dataset "C4"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
}

// TestGoldenRecords reads the records of the scorer's cases.
func TestGoldenRecords(t *testing.T) {
	golden.Each(t, "scorers/mixtral/*/ground_truth.json", func(t *testing.T, path string) {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []struct {
			Source string `json:"dataset"`
			ID     string
			Output string `json:"gt_output"`
		}
		golden.ReadJSON(t, path, &want)
		if s.Len() != len(want) {
			t.Fatalf("%d samples, want %d", s.Len(), len(want))
		}
		for i, w := range want {
			if x := s.Sample(i); x.Source != w.Source || x.ID != w.ID || x.Output != w.Output {
				t.Errorf("sample %d: %+v", i, x)
			}
		}
	})
}
