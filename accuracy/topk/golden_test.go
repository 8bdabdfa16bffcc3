package topk

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the arguments and the result of the official script.
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
	golden.Each(t, "scorers/imagenet/*/expected.json", checkCase)
}

func checkCase(t *testing.T, path string) {
	var want expected
	golden.ReadJSON(t, path, &want)
	dir := filepath.Dir(path)
	names, labels := readValMap(t, filepath.Join(dir, "val_map.txt"))
	dtype, err := DTypes().Parse(want.Args.DType)
	if err != nil {
		t.Fatal(err)
	}
	s := New(labels, PayloadOptions{DType: dtype, KeepWrong: true})
	golden.AddLog(t, dir, s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.Good != want.Good || got.Total != want.Total ||
		math.Abs(got.Accuracy-want.AccuracyPercent) > 1e-12*want.AccuracyPercent {
		t.Errorf("got %d of %d, %v %%; want %d of %d, %v %%",
			got.Good, got.Total, got.Accuracy, want.Good, want.Total, want.AccuracyPercent)
	}
	if text := printed(got, names, want.Args.Verbose); text != want.Stdout {
		t.Errorf("printed\n%s\nwant\n%s", text, want.Stdout)
	}
}

// printed is the whole output of the official script.
func printed(r ClassResult, names []string, verbose bool) string {
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
