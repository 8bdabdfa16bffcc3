package checker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// official is the official checker, in processes that wait for trees.
type official chan judge

// judge is a process that runs the official checker on one tree after another.
type judge struct {
	in   io.Writer
	out  *bufio.Scanner
	file string // of summaries
}

// officialChecker is the one that the environment names, with a Python that has PyYAML: make test-official OF=checker.
// Without, the test is skipped. Its two processes end with the test.
func officialChecker(t *testing.T) official {
	t.Helper()
	dir := os.Getenv("PLUMBLINE_MLC")
	if dir == "" {
		t.Skip("PLUMBLINE_MLC names no checkout of the official tools: make test-official OF=checker MLC=DIR")
	}
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	o := make(official, 2)
	for range cap(o) {
		cmd := exec.Command(python, filepath.Join("testdata", "judge.py"), filepath.Join(dir, "tools", "submission"))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
				t.Error(err)
			}
		})
		o <- judge{in, bufio.NewScanner(out), filepath.Join(t.TempDir(), "summary.csv")}
	}
	return o
}

// run judges a tree; what it said is the verdict, and behind a blank the exception.
func (j judge) run(root string, args ...string) (said string, err error) {
	if err := os.Remove(j.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := fmt.Fprintln(j.in, strings.Join(append([]string{root, j.file}, args...), "\t")); err != nil {
		return "", err
	}
	if !j.out.Scan() {
		return "", fmt.Errorf("the official checker's process ended: %w", j.out.Err())
	}
	return j.out.Text(), nil
}

// compare runs both checkers on a tree.
func (j judge) compare(root string, o Options, args ...string) error {
	said, err := j.run(root, args...)
	if err != nil {
		return err
	}
	verdict, _, _ := strings.Cut(said, " ")
	r, err := Check(root, o)
	if err != nil {
		return err
	}
	if string(r.Verdict) != verdict {
		return fmt.Errorf("%s, want %s: %+v", r.Verdict, said, r.Summary().Without)
	}
	if r.Verdict == Crash {
		return nil
	}
	want, err := os.ReadFile(j.file)
	if err != nil {
		return err
	}
	var got bytes.Buffer
	if err := result.WriteCSV(&got, r.Rows); err != nil || got.String() != strings.ReplaceAll(string(want), `"./`, `"`) {
		return fmt.Errorf("summary\n%s\nwant\n%s(%v)", &got, want, err) //nolint:errorlint // it may be nil
	}
	return nil
}

// compare runs both checkers on a tree.
func (o official) compare(t *testing.T, root string, c checkCase) {
	t.Helper()
	if err := o.differ(root, options(t, c), append([]string{"--version", c.Version}, c.Args...)...); err != nil {
		t.Error(err)
	}
}

// differ says by what the checkers differ on a tree.
func (o official) differ(root string, options Options, args ...string) error {
	j := <-o
	defer func() { o <- j }()
	return j.compare(root, options, args...)
}

// TestOfficialChecker compares verdict and summary with those of the official checker itself: on the small tree, on the
// reference trees with all changes of the cases, and on the tree that PLUMBLINE_TREE names.
func TestOfficialChecker(t *testing.T) {
	o := officialChecker(t)
	t.Run("small", func(t *testing.T) { o.compare(t, smallTree(t), checkCase{Version: "v6.1"}) })
	if root := os.Getenv("PLUMBLINE_TREE"); root != "" {
		t.Run("tree", func(t *testing.T) { o.compare(t, root, checkCase{Version: "v6.1"}) })
	}
	t.Run("yolo", func(t *testing.T) {
		for _, round := range yoloRounds {
			o.compare(t, yoloTree(t, round, "yolo-99", "mAP=53.103%"), checkCase{Version: round})
		}
	})
	bases := treeops.NewBaseTrees(t)
	golden.Each(t, "submission/check/*.json", func(t *testing.T, file string) {
		var c checkCase
		golden.ReadJSON(t, file, &c)
		o.compare(t, bases.Tree(t, c.Base, c.Ops), c)
	})
}

// TestOfficialCheckerValues puts odd values in the place of those of the small tree, one at a time.
func TestOfficialCheckerValues(t *testing.T) {
	o := officialChecker(t)
	odd := []string{
		`null`, `"x"`, `"5e2"`, `-1`, `1e30`, `NaN`, `true`, `[]`, `{"a": 1}`, `123456789012345678901234567890`,
	}
	log, err := os.ReadFile(filepath.Join("testdata", "small", filepath.FromSlash(smallLog)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var record struct {
			Key   string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, detail.LoadGenMark)), &record); err != nil {
			t.Fatal(err)
		}
		for _, v := range odd {
			o.replace(t, smallLog, fmt.Sprintf("%q, \"value\": %s", record.Key, record.Value),
				fmt.Sprintf("%q, \"value\": %s", record.Key, v))
		}
		o.replace(t, smallLog, line, "")
	}
	for _, file := range []string{"open/Lab/systems/box.json", smallFolder + "/measurements.json"} {
		o.values(t, file, odd)
	}
}

// values puts each odd value in the place of each field of a JSON file.
func (o official) values(t *testing.T, file string, odd []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "small", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		for _, v := range odd {
			o.replace(t, file, fmt.Sprintf("%q: %s", name, value), fmt.Sprintf("%q: %s", name, v))
		}
		o.replace(t, file, fmt.Sprintf("%q: %s", name, value), `"z": 1`)
	}
}

// replace compares after one change of the small tree.
func (o official) replace(t *testing.T, file, old, text string) {
	t.Helper()
	t.Run(path.Base(file)+" "+strings.TrimSpace(text), func(t *testing.T) {
		root := smallTree(t)
		before, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil || !bytes.Contains(before, []byte(old)) {
			t.Fatalf("no %s in %s (%v)", old, before, err)
		}
		put(t, root, file, strings.Replace(string(before), old, text, 1))
		o.compare(t, root, checkCase{Version: "v6.1"})
	})
}

// TestOfficialCheckerFiles spoils each file of the small tree and of the reference trees, in several ways, one by one.
func TestOfficialCheckerFiles(t *testing.T) {
	o := officialChecker(t)
	o.spoilAll(t, "testdata/small", smallTree)
	bases := treeops.NewBaseTrees(t)
	for _, base := range []string{"edge", "datacenter"} {
		o.spoilAll(t, bases.Tree(t, base, nil), func(t *testing.T) string { return bases.Tree(t, base, nil) })
	}
}

func (o official) spoilAll(t *testing.T, like string, fresh func(t *testing.T) string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(like), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for how, spoil := range spoils {
			t.Run(how+" "+name, func(t *testing.T) {
				root := fresh(t)
				file := filepath.Join(root, filepath.FromSlash(name))
				text, err := os.ReadFile(file)
				if err := errors.Join(err, os.Remove(file), spoil(file, text)); err != nil {
					t.Fatal(err)
				}
				o.compare(t, root, checkCase{Version: "v6.1"})
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// spoils put something else in the place of a file that was removed.
var spoils = map[string]func(file string, text []byte) error{
	"no":     func(string, []byte) error { return nil },
	"empty":  func(file string, _ []byte) error { return os.WriteFile(file, nil, 0o644) },
	"folder": func(file string, _ []byte) error { return os.Mkdir(file, 0o755) },
	"marked": func(file string, text []byte) error {
		return os.WriteFile(file, append([]byte("\ufeff"), text...), 0o644)
	},
	"latin": func(file string, text []byte) error {
		return os.WriteFile(file, append(text, "\xe9\n"...), 0o644)
	},
	"list": func(file string, _ []byte) error { return os.WriteFile(file, []byte("[1]\n"), 0o644) },
}
