package criteo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestReadTextLabels(t *testing.T) {
	long := "1\t" + strings.Repeat("x", 200_000)
	tests := []struct {
		name, text string
		most       int
		want       []uint8
	}{
		{"lines", "0\t1\tx\n1\t\t\n1\n", 0, []uint8{0, 1, 1}},
		{"no newline at the end", "0\ta\r\n1\tb", 0, []uint8{0, 1}},
		{"the first two", "0\n1\nx\n", 2, []uint8{0, 1}},
		{"long lines", long + "\n0\n" + long, 0, []uint8{1, 0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := ReadTextLabels(strings.NewReader(tt.text), tt.most); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestReadTextLabelsRefuses(t *testing.T) {
	_, err := ReadTextLabels(strings.NewReader("0\n2\t\n\n1\n10\t\n"), 0)
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) || len(all.Faults) != 3 {
		t.Fatalf("error %v, want 3 faults", err)
	}
	for i, want := range []string{`line 2: label "2"`, `line 3: label ""`, `line 5: label "10"`} {
		if !strings.Contains(all.Faults[i].String(), want) {
			t.Errorf("fault %v, want %s", all.Faults[i], want)
		}
	}
	if _, err := ReadTextLabels(strings.NewReader(""), 0); !errors.Is(err, ErrDataset) {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := ReadTextLabels(io.MultiReader(strings.NewReader("0\n"), failing{}), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// FuzzReadTextLabels checks that labels that are accepted are as many as there are lines, and 0 or 1.
func FuzzReadTextLabels(f *testing.F) {
	f.Add("0\t1\n1\t2\n")
	f.Add("1\r\n0")
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := ReadTextLabels(strings.NewReader(text), 0)
		if err != nil {
			return
		}
		if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; len(labels) != lines || slices.Max(labels) > 1 {
			t.Errorf("labels %v of %d lines", labels, lines)
		}
	})
}

// TestGoldenDay23 reads the labels and the trace of the scorers' cases that have them.
func TestGoldenDay23(t *testing.T) {
	golden.Each(t, "scorers/dlrm/*/day_23", func(t *testing.T, path string) {
		var want struct{ Dump struct{ N int } }
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "expected.json"), &want)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		labels, err := ReadTextLabels(f, 0)
		if err != nil || len(labels) < want.Dump.N {
			t.Fatalf("%d labels, %v; want at least %d", len(labels), err, want.Dump.N)
		}
		trace, err := os.Open(filepath.Join(filepath.Dir(path), "dlrm_trace_of_aggregated_samples.txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		samples, err := ReadTrace(trace)
		if err != nil || samples[len(samples)-1].End != want.Dump.N {
			t.Errorf("samples %v, %v; want them to end at %d", samples, err, want.Dump.N)
		}
	})
}
