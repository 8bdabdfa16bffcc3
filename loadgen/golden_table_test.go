package loadgen_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/loadgen-checks.md")

// checkTable compares the outcomes of the runs with the table in the project's documentation.
func checkTable(t *testing.T, outcomes map[string]string) {
	t.Helper()
	path := filepath.Join("..", "docs", "loadgen-checks.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no documentation beside the module: %v", err)
	}
	const begin, end = "|---|---|\n", "\n\n"
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no table", path)
	}
	runs := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		outcome := strings.ReplaceAll(outcomes[name], "\n", " ")
		runs[outcome] = append(runs[outcome], name)
	}
	var rows []string
	for _, outcome := range slices.Sorted(maps.Keys(runs)) {
		rows = append(rows, fmt.Sprintf("| %s | %s |", outcome, strings.Join(runs[outcome], ", ")))
	}
	want := strings.Join(rows, "\n")
	switch {
	case table == want:
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table in %s is not what the runs give: run this test with -update", path)
	}
}
