package compatible

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/submission/internal/treeops"
	"github.com/plumbline-ml/plumbline/submission/result"
)

// TestOfficialCheckerMutations compares verdicts and summaries with those of the official checker on the reference
// trees with one change each, of which PLUMBLINE_MUTATIONS=N takes one of N.
func TestOfficialCheckerMutations(t *testing.T) {
	o := officialChecker(t)
	bases := treeops.NewBases(t)
	for _, base := range []string{"edge", "datacenter"} {
		root := bases.Tree(t, base, []treeops.Op{treeops.ShortLists()})
		treeops.EachPart(t, root, func(t *testing.T, root string) {
			judges := o.judges(t)
			tried := treeops.EachMutation(t, root, treeops.Share(t, 4001), func(root string) error {
				j := <-judges
				defer func() { judges <- j }()
				return j.compare(root, Options{Round: "v6.1"})
			})
			t.Logf("%d mutations", tried)
		})
	}
}

// judge is a process that runs the official checker on one tree after another.
type judge struct {
	in   io.Writer
	out  *bufio.Scanner
	file string // of summaries
}

// judges are two of them, which end with the test.
func (o official) judges(t *testing.T) chan judge {
	t.Helper()
	all := make(chan judge, 2)
	for range cap(all) {
		cmd := exec.Command(o.python, filepath.Join("testdata", "judge.py"), o.tools)
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
		all <- judge{in, bufio.NewScanner(out), filepath.Join(t.TempDir(), "summary.csv")}
	}
	return all
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
		return fmt.Errorf("summary\n%s\nwant\n%s(%v)", &got, want, err)
	}
	return nil
}
