package prepare_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/official/prepare"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// officialCase is one run of the official tool.
type officialCase struct {
	Base   string
	Ops    []treeops.Op
	Args   []string
	Expect struct {
		Exit      int
		Crash     *string
		Messages  []string
		Unchanged []string
		Changed   map[string]string // "<- path of the input", or "new: text"
		Dropped   []string
	}
}

func (c officialCase) options(t *testing.T) (o prepare.Options) {
	t.Helper()
	switches := map[string]*bool{
		"--keep-structure": &o.KeepStructure, "--nodelete-empty-dirs": &o.KeepEmptyDirs,
		"--nodelete-failed":              &o.NoDeleteFailed,
		"--noinfer-low-accuracy-results": &o.NoLowAccuracy, "--noinfer-scenario-results": &o.NoScenarios,
		"--nomove-failed-to-open": &o.NoMoveToOpen,
	}
	values := map[string]*string{"--input": &o.Input, "--output": &o.Output, "--version": &o.Round,
		"--submitter": &o.Submitter, "--extra-model-benchmark-map": &o.ModelMapping}
	for i := 0; i < len(c.Args); i++ {
		if flag, ok := switches[c.Args[i]]; ok {
			*flag = true
			continue
		}
		value, ok := values[c.Args[i]]
		if !ok {
			t.Fatalf("a new argument: %s", c.Args[i])
		}
		i++
		*value = c.Args[i]
	}
	return o
}

func TestOfficialGolden(t *testing.T) {
	golden.Each(t, "submission/preprocess/*/case.json", func(t *testing.T, path string) {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		var c officialCase
		golden.ReadJSON(t, path, &c)
		base, work := treeops.WriteBase(t, c.Base), t.TempDir()
		in := filepath.Join(work, "in")
		if err := os.Rename(base, in); err != nil {
			t.Fatal(err)
		}
		treeops.Apply(t, in, c.Ops)
		t.Chdir(work)
		lines, err := prepare.PrepareTree(c.options(t))
		if (err != nil) != (c.Expect.Exit != 0) || errors.Is(err, prepare.ErrOutputExists) != c.exists() {
			t.Errorf("error %v, want exit %d, crash %v", err, c.Expect.Exit, c.Expect.Crash)
		}
		if c.Expect.Crash == nil {
			if got := said(lines); !slices.Equal(slices.Sorted(slices.Values(got)),
				slices.Sorted(slices.Values(c.Expect.Messages))) { // the tool takes folders as the file system has them
				t.Errorf("said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.Expect.Messages, "\n"))
			}
		}
		if !c.exists() {
			c.wantTree(t, in, "out")
		}
	})
}

// exists says whether the output was there before.
func (c officialCase) exists() bool { return c.Expect.Crash == nil && c.Expect.Exit != 0 }

// said are the lines, with their blanks as the cases have them.
func said(lines []python.Line) (all []string) {
	for _, l := range lines {
		all = append(all, strings.TrimSpace(l.Level+" "+strings.Join(strings.Fields(l.Text), " ")))
	}
	return all
}

// wantTree compares every file of the new tree.
func (c officialCase) wantTree(t *testing.T, in, out string) {
	t.Helper()
	want := map[string]string{}
	for _, name := range c.Expect.Unchanged {
		want[name] = text(t, in, name)
	}
	for name, source := range c.Expect.Changed {
		switch from, copied := strings.CutPrefix(source, "<- "); {
		case copied:
			want[name] = text(t, in, from)
		case source != "(empty folder)":
			want[name] = strings.TrimPrefix(source, "new: ")
		}
	}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(out, path)
		name = filepath.ToSlash(name)
		expected, ok := want[name]
		delete(want, name)
		if got := text(t, out, name); !ok || got != expected {
			t.Errorf("%s: there, wanted: %v; %.300q, want %.300q", name, ok, got, expected)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

func text(t *testing.T, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
