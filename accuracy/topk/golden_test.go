package topk

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// expected is what the official script was asked, and what it gave.
type expected struct {
	Args struct {
		DType   string
		Verbose bool
	}
	AccuracyPercent float64 `json:"accuracy_percent"`
	Good, Total     int
	Stdout          string
}

func TestGoldenImagenet(t *testing.T) {
	for _, root := range goldenRoots(t) {
		cases, err := filepath.Glob(filepath.Join(root, "scorers", "imagenet", "*", "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) == 0 {
			t.Errorf("no cases below %s/scorers/imagenet", root)
		}
		for _, path := range cases {
			dir := filepath.Dir(path)
			t.Run(filepath.Join(root, filepath.Base(dir)), func(t *testing.T) { checkCase(t, dir) })
		}
	}
}

func checkCase(t *testing.T, dir string) {
	var want expected
	readJSON(t, filepath.Join(dir, "expected.json"), &want)
	names, labels := readValMap(t, filepath.Join(dir, "val_map.txt"))
	dtype, err := ParseDType(want.Args.DType)
	if err != nil {
		t.Fatal(err)
	}
	s := New(labels, Options{DType: dtype, KeepWrong: true})
	addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.Good != want.Good || got.Total != want.Total || math.Abs(got.Accuracy-want.AccuracyPercent) > 1e-12*want.AccuracyPercent {
		t.Errorf("got %d of %d, %v %%; want %d of %d, %v %%", got.Good, got.Total, got.Accuracy, want.Good, want.Total, want.AccuracyPercent)
	}
	if text := printed(got, names, want.Args.Verbose); text != want.Stdout {
		t.Errorf("printed\n%s\nwant\n%s", text, want.Stdout)
	}
}

// printed is the whole output of the official script.
func printed(r Result, names []string, verbose bool) string {
	if !verbose {
		return r.String() + "\n"
	}
	var b strings.Builder
	for _, w := range r.Wrong {
		fmt.Fprintf(&b, "%s, expected: %d, found %d\n", names[w.Index], w.Expected, w.Found)
	}
	fmt.Fprintf(&b, "%s\nfound and ignored %d dupes\n", r, r.Duplicates)
	return b.String()
}

func addLog(t *testing.T, s *Scorer, path string) {
	t.Helper()
	var entries []struct {
		Index uint64 `json:"qsl_idx"`
		Data  string
	}
	readJSON(t, path, &entries)
	for _, e := range entries {
		payload, err := hex.DecodeString(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(e.Index, payload); err != nil {
			t.Fatal(err)
		}
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func readValMap(t *testing.T, path string) (names []string, labels []int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		label, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		names, labels = append(names, fields[0]), append(labels, label)
	}
	return names, labels
}

// goldenRoots are the cases of this checkout and, where it is present, the full set beside it.
func goldenRoots(t *testing.T) []string {
	t.Helper()
	roots := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err != nil {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
		return roots
	}
	return append(roots, shared)
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the test's folder")
		}
	}
}
