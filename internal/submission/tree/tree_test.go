package tree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// write makes files with the given text, by their path below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func open(t *testing.T, root, round string) *tree.Tree {
	t.Helper()
	found, err := tree.Open(root, round)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { found.Close() })
	return found
}

func places(found *tree.Tree) string {
	var list []string
	for p := range found.Results {
		list = append(list, p.String())
	}
	return strings.Join(list, " ")
}

func TestLayoutsOfTheRounds(t *testing.T) {
	p := tree.Place{Division: "closed", Submitter: "Lab", System: "box", Benchmark: "resnet50", Scenario: "Offline"}
	for _, c := range []struct{ round, source, measurements, audit string }{
		{"", "closed/Lab/src", "closed/Lab/results/box/resnet50/Offline/measurements.json",
			"closed/Lab/results/box/resnet50/Offline/TEST01"},
		{"v5.1", "closed/Lab/code", "closed/Lab/measurements/box/resnet50/Offline/box_Offline.json",
			"closed/Lab/compliance/box/resnet50/Offline/TEST01"},
	} {
		l, err := tree.LayoutOf(c.round)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{l.SourceDir(p), l.MeasurementsFile(p), l.Audit(p, "TEST01")}
		if want := []string{c.source, c.measurements, c.audit}; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", c.round, got, want)
		}
	}
	if _, err := tree.LayoutOf("v0.4"); err == nil || !strings.Contains(err.Error(), "v6.1") {
		t.Errorf("a round without layout: got %v, want an error that lists the rounds", err)
	}
}

func TestOpenFindsEveryScenarioFolder(t *testing.T) {
	found := open(t, write(t, map[string]string{
		"closed/Lab/results/box/resnet50/Offline/README.md": "x",
		"closed/Lab/results/box/resnet50/odd/file":          "x",
		"open/Größe 💡/results/b/tiny/offline/file":          "x",
		"CLOSED/Lab/results/box/resnet50/Offline/README.md": "not a division",
		"closed/file": "not a submitter",
	}), "")
	want := "closed/Lab/results/box/resnet50/Offline closed/Lab/results/box/resnet50/odd " +
		"open/Größe 💡/results/b/tiny/offline"
	if got := places(found); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if e, ok := found.Entry("closed/file"); !ok || e.Size != int64(len("not a submitter")) {
		t.Errorf("got entry %+v, %v", e, ok)
	}
}

func TestMeasurementsBeforeV60(t *testing.T) {
	found := open(t, write(t, map[string]string{
		"closed/Lab/measurements/box/resnet50/Offline/box_a.json":       "",
		"closed/Lab/measurements/box/resnet50/Offline/box_Offline.json": "",
		"closed/Lab/measurements/box/resnet50/Offline/other.json":       "",
	}), "v5.1")
	p := tree.Place{Division: "closed", Submitter: "Lab", System: "box", Benchmark: "resnet50", Scenario: "Offline"}
	name, others, ok := found.MeasurementsFile(p)
	if !ok || filepath.Base(name) != "box_Offline.json" || len(others) != 1 {
		t.Errorf("got %s, %q, %v; want box_Offline.json, the first by name, and one other", name, others, ok)
	}
}

func TestLinksAreSeenAndNotFollowedOut(t *testing.T) {
	root := write(t, map[string]string{"closed/Lab/results/box/r/Offline/a.txt": "abc"})
	folder := filepath.Join(root, "closed/Lab/results/box/r/Offline")
	outside := write(t, map[string]string{"secret": "x"})
	for name, target := range map[string]string{
		"inside": "a.txt", "dangling": "gone", "outside": filepath.Join(outside, "secret"), "loop": "../..",
	} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	found := open(t, root, "")
	dir := "closed/Lab/results/box/r/Offline/"
	if e, _ := found.Entry(dir + "inside"); !e.Link || e.Broken || e.Size != 3 {
		t.Errorf("a link to a file: got %+v", e)
	}
	for _, name := range []string{"dangling", "outside"} {
		if e, _ := found.Entry(dir + name); !e.Broken {
			t.Errorf("%s: got %+v, want it broken", name, e)
		}
		if _, err := found.Open(dir + name); err == nil {
			t.Errorf("%s could be opened", name)
		}
	}
	if _, ok := found.Entry(dir + "loop/r"); ok {
		t.Error("a link to a folder was followed")
	}
}

func TestUnreadableFolderIsAFault(t *testing.T) {
	root := write(t, map[string]string{
		"closed/Lab/results/box/r/Offline/a.txt": "abc", "closed/Other/results/box/r/Offline/a.txt": "abc",
	})
	locked := filepath.Join(root, "closed/Lab")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o777) })
	if _, err := os.ReadDir(locked); err == nil {
		t.Skip("this user may read every folder")
	}
	found := open(t, root, "")
	if len(found.Faults) != 1 || found.Faults[0].Path != "closed/Lab" || places(found) == "" {
		t.Errorf("got faults %v, results %s; want closed/Lab's fault and the result of Other",
			found.Faults, places(found))
	}
}

func TestOpenNeedsAFolder(t *testing.T) {
	if _, err := tree.Open(filepath.Join(t.TempDir(), "gone"), ""); err == nil {
		t.Error("a folder that is not there was opened")
	}
}
