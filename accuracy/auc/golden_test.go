package auc

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the arguments and the result of the official script.
type expected struct {
	Args   []string
	Dump   struct{ N int }
	AUC    *float64 `json:"auc_percent"` // absent if undefined
	Stdout string
}

func TestGoldenDLRM(t *testing.T) { golden.Each(t, "scorers/dlrm/*/expected.json", checkCase) }

func checkCase(t *testing.T, path string) {
	var want expected
	golden.ReadJSON(t, path, &want)
	dir := filepath.Dir(path)
	dtype, err := DTypes().Parse(argument(want.Args, "--dtype"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(readTruth(t, dir, want.Args), PayloadOptions{DType: dtype})
	if err != nil {
		t.Fatal(err)
	}
	golden.AddLog(t, dir, s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case got.Defined() != (want.AUC != nil):
		t.Errorf("AUC %v, want defined to be %v", got.AUC, want.AUC != nil)
	case want.AUC != nil && math.Abs(got.Percent()-*want.AUC) > 1e-13**want.AUC:
		t.Errorf("AUC %v %%, want %v %%", got.Percent(), *want.AUC)
	}
	if got.Total != want.Dump.N {
		t.Errorf("%d pairs, want %d", got.Total, want.Dump.N)
	}
	if lines := strings.Split(strings.TrimSpace(want.Stdout), "\n"); got.String() != lines[len(lines)-1] {
		t.Errorf("printed %v, want %s", got, lines[len(lines)-1])
	}
}

// argument returns the value of a command-line option, or "".
func argument(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// readTruth reads the trace, whose lines are "start, end, count", and the labels, which are the first field of each
// line in the file of a day.
func readTruth(t *testing.T, dir string, args []string) (truth Truth) {
	t.Helper()
	day, trace := argument(args, "--day-23-file"), argument(args, "--aggregation-trace-file")
	if day == "" {
		return Truth{}
	}
	for _, line := range readLines(t, filepath.Join(dir, trace)) {
		start, rest, _ := strings.Cut(line, ", ")
		end, _, _ := strings.Cut(rest, ", ")
		truth.Samples = append(truth.Samples, PairRange{atoi(t, start), atoi(t, end)})
	}
	for _, line := range readLines(t, filepath.Join(dir, day)) {
		label, _, _ := strings.Cut(line, "\t")
		truth.Labels = append(truth.Labels, uint8(atoi(t, label)))
	}
	return truth
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
