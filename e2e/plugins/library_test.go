package plugins

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestExampleLibrary expects the program in docs/library.md to write the files that harness run writes, and an
// equivalent result.
func TestExampleLibrary(t *testing.T) {
	dir := t.TempDir()
	program, ours := filepath.Join(dir, "library"), filepath.Join(dir, "ours")
	if err := built.GoTool(built.Root(), nil, "build", "-o", program, "./examples/library"); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, filepath.Join(built.Alone("rnnt"), "plugins"), "rnnt", ours).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rnnt Offline performance: ", "rnnt Offline accuracy: PASS"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	theirs := filepath.Join(dir, "theirs")
	harness.Run(t, "run", "rnnt", "--scenario", "Offline", "--out", theirs).WantCode(t, 0)
	if a, b := filesBelow(t, ours), filesBelow(t, theirs); !slices.Equal(a, b) {
		t.Errorf("the program wrote\n%q\nharness run\n%q", a, b)
	}
	a, b := resultOf(t, ours), resultOf(t, theirs)
	for i := range b {
		for _, key := range []string{"model", "scenario", "mode", "profile", "settings", "options", "plugin", "system",
			"dir", "deviations"} {
			if !reflect.DeepEqual(a[i][key], b[i][key]) {
				t.Errorf("%s: the program's is\n%v\nharness run's\n%v", key, a[i][key], b[i][key])
			}
		}
		for key := range b[i] {
			if _, ok := a[i][key]; !ok {
				t.Errorf("the program's result has no %s", key)
			}
		}
	}
	if !reflect.DeepEqual(metricsOf(a[1]), metricsOf(b[1])) {
		t.Errorf("accuracy %v, harness run's %v", metricsOf(a[1]), metricsOf(b[1]))
	}
}

// filesBelow lists the files of a folder.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// resultOf returns the runs of a folder's result.json. There must be two.
func resultOf(t *testing.T, dir string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Runs []map[string]any }
	if err := json.Unmarshal(text, &d); err != nil || len(d.Runs) != 2 {
		t.Fatalf("%v, %d runs", err, len(d.Runs))
	}
	return d.Runs
}

func metricsOf(run map[string]any) any { return run["accuracy"].(map[string]any)["metrics"] }

// TestLibraryDoc expects the examples' texts in the document, and expects them to be short.
func TestLibraryDoc(t *testing.T) {
	doc := testfile.Read(t, built.Doc("library.md"))
	for example, most := range map[string]int{"library": 29, "loadgen-only": 39} {
		source := testfile.Read(t, filepath.Join(built.Root(), "examples", example, "main.go"))
		if lines := strings.Count(source, "\n"); lines > most {
			t.Errorf("the example %s has %d lines, promised are %d at most", example, lines, most)
		}
		_, program, _ := strings.Cut(source, "package main\n")
		var indented strings.Builder
		for line := range strings.Lines(strings.TrimSpace(program)) {
			if line = strings.ReplaceAll(line, "\t", "    "); line != "\n" {
				line = "    " + line
			}
			indented.WriteString(line)
		}
		if !strings.Contains(doc, indented.String()) {
			t.Errorf("docs/library.md does not hold:\n%s", indented.String())
		}
	}
}
