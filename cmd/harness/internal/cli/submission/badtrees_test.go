package submission_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

const lfsPointer = "version https://git-lfs.github.com/spec/v1\n" +
	"oid sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\nsize 123456\n"

// logsOf are the detail and summary logs below a folder.
func logsOf(t *testing.T, root string) (list []string) {
	t.Helper()
	for _, name := range []string{"mlperf_log_detail.txt", "mlperf_log_summary.txt"} {
		for _, pattern := range []string{"performance/run_1/", "accuracy/"} {
			found, err := filepath.Glob(filepath.Join(root, "closed/*/results/*/*/*", pattern, name))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, found...)
		}
	}
	return list
}

func writeAll(t *testing.T, files []string, text string) {
	t.Helper()
	for _, file := range files {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// badTrees are copies of results that are not whole, and what check, results, review and rank say of each: a part of
// their output.
var badTrees = []struct {
	name                          string
	spoil                         func(t *testing.T, root string)
	check, results, review, ranks string
}{
	{"another project", func(t *testing.T, root string) {
		if err := os.Rename(filepath.Join(root, "closed"), filepath.Join(root, "src")); err != nil {
			t.Fatal(err)
		}
	}, "no submission", "no submission", "no submission", "no submission"},
	{"pointers in place of logs", func(t *testing.T, root string) { writeAll(t, logsOf(t, root), lfsPointer) },
		"are pointers of Git LFS", "are pointers of Git LFS", "are pointers of Git LFS", "are pointers of Git LFS"},
	{"half a download", func(t *testing.T, root string) {
		for _, file := range logsOf(t, root) {
			if err := os.Truncate(file, 40); err != nil {
				t.Fatal(err)
			}
		}
	}, "entries cannot be read", "line 1: want a quote at byte 32", "audit-without-output", "no run to rank"},
	{"logs that are links out of the tree", func(t *testing.T, root string) {
		outside := filepath.Join(t.TempDir(), "secret")
		writeAll(t, []string{outside}, "secret: 42\n")
		for _, file := range logsOf(t, root) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, file); err != nil {
				t.Fatal(err)
			}
		}
	}, "has no log of a performance run", "there are no detail logs", "has no log of a performance run",
		"has no log of a performance run"},
	{"two rounds", func(t *testing.T, root string) {
		treetest.Write(t, root, "v5.0", treetest.Result{Submitter: "Other", Benchmark: "resnet50", Scenario: "Offline",
			Value: 3})
	}, "holds runs of", "holds runs of", "holds runs of", "holds runs of"},
	{"seeds of no round", func(t *testing.T, root string) {
		for _, file := range logsOf(t, root) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seeds := strings.NewReplacer("qsl_rng_seed\", \"value\": ", "qsl_rng_seed\", \"value\": 7",
				"qsl_rng_seed : ", "qsl_rng_seed : 7")
			writeAll(t, []string{file}, seeds.Replace(string(text)))
		}
	}, "seeds of no round", "seeds of no round", "seeds of no round", "seeds of no round"},
	{"many empty folders", func(t *testing.T, root string) {
		for i := range 500 {
			dir := filepath.Join(root, "closed/Lab/results", fmt.Sprintf("box%d", i), "resnet50/Offline")
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}, "verdict by the rules v5.1: reject", "3 results, 500 without", "result-filed-as-audit", "nothing to rank"},
}

// TestTreesThatAreNotWhole reads what people have on their disks, with the four commands that take a tree.
func TestTreesThatAreNotWhole(t *testing.T) {
	for _, c := range badTrees {
		t.Run(c.name, func(t *testing.T) {
			s := clitest.New(t)
			root := t.TempDir()
			treetest.Write(t, root, "v5.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 2})
			c.spoil(t, root)
			for command, want := range map[string]string{"submission check": c.check, "submission results": c.results,
				"submission review": c.review, "rank " + root: c.ranks} {
				code := s.Run(append(strings.Fields(command), root)...)
				text := s.Stdout.String() + s.Stderr.String()
				if !strings.Contains(text, want) || strings.Contains(text, "secret") || code == 1 {
					t.Errorf("%s: exit code %d, want %q in\n%.900s\n---\n%.500s", command, code, want, s.Stdout.String(),
						s.Stderr.String())
				}
			}
		})
	}
}
