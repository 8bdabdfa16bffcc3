package compliance_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestAuditVerifyOfATree judges every test below a folder: of a system, a submitter, a whole repository, in both
// layouts, by the round of its logs. What one folder lacks does not keep the others from a verdict.
func TestAuditVerifyOfATree(t *testing.T) {
	s := clitest.New(t)
	for _, round := range []string{"v5.1", "v6.1"} {
		root := t.TempDir()
		treetest.Write(t, root, round,
			treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000},
			treetest.Result{Benchmark: "3d-unet-99", Scenario: "Offline", Value: 3, Submitter: "Works"})
		code := s.Run("audit", "verify", root, "--no-accuracy-logs", "--json")
		var list []struct{ Folder, Test, Scenario string }
		if err := json.Unmarshal([]byte(s.Stdout.String()), &list); err != nil {
			t.Fatalf("%s: exit code %d, %v: %.300s", round, code, err, s.Stderr.String())
		}
		tests := map[string]int{}
		for _, v := range list {
			tests[v.Test]++
			if !strings.HasSuffix(filepath.ToSlash(v.Folder), "/"+v.Scenario) {
				t.Errorf("%s: %+v", round, v)
			}
		}
		if tests["TEST01"] != 5 || tests["TEST04"] != 3 { // resnet in three scenarios, 3d-unet in two
			t.Errorf("%s: %v, want TEST01 of 5 scenarios and TEST04 of 3", round, tests)
		}
		said := strings.Contains(s.Stderr.String(), "round "+round+", by the seeds of ")
		if newest := round == mlconf.Rounds()[0]; said == newest {
			t.Errorf("%s: the round is said: %v, %s", round, said, s.Stderr.String())
		}
	}
	root := t.TempDir()
	treetest.Write(t, root, "v6.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000})
	system := filepath.Join(root, "closed", "Lab", "results", "box")
	s.Run("audit", "verify", system, "--test", "TEST04", "--no-accuracy-logs")
	if text := s.Stdout.String(); strings.Count(text, "TEST04") < 3 || strings.Contains(text, "TEST01") {
		t.Errorf("TEST04 alone: %s", text)
	}
	s.Want(2, s.Run("audit", "verify", system, "--out", s.Out()), "--out places the files of one scenario")
	s.Want(2, s.Run("audit", "verify", t.TempDir()), "has no folder of a test")
}

// TestAuditVerifyOfSeveralTrees: each tree in a folder has its own round, and one scenario that of its tree.
func TestAuditVerifyOfSeveralTrees(t *testing.T) {
	s := clitest.New(t)
	folder := t.TempDir()
	for _, round := range []string{"v5.0", "v5.1"} {
		treetest.Write(t, filepath.Join(folder, round), round,
			treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000})
	}
	s.Run("audit", "verify", folder, "--no-accuracy-logs")
	for _, round := range []string{"v5.0", "v5.1"} {
		if n := strings.Count(s.Stderr.String(), "round "+round+", by the seeds of "); n != 1 {
			t.Errorf("%s is said %d times: %s", round, n, s.Stderr.String())
		}
	}
	if strings.Contains(s.Stdout.String(), "effective_qsl_rng_seed") {
		t.Errorf("seeds of another round: %s", s.Stdout.String())
	}
	one := filepath.Join(folder, "v5.0/closed/Lab/compliance/box/resnet50/Offline")
	s.Run("audit", "verify", one, "--no-accuracy-logs")
	if !strings.Contains(s.Stderr.String(), "round v5.0, by the seeds of ") ||
		strings.Contains(s.Stdout.String(), "effective_qsl_rng_seed") {
		t.Errorf("one scenario: %s\n%s", s.Stderr.String(), s.Stdout.String())
	}
}

// TestAuditVerifyOfTreesThatAreNotWhole: where logs do not say the round, the first line tells why, whether or not the
// tree has folders of audits.
func TestAuditVerifyOfTreesThatAreNotWhole(t *testing.T) {
	s := clitest.New(t)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n"
	seeds := regexp.MustCompile(`(qsl_rng_seed", "value": |qsl_rng_seed : )`)
	for want, spoil := range map[string]func(text string) string{
		"are pointers of Git LFS":       func(string) string { return pointer },
		"has no log of a performance":   func(text string) string { return text[:min(len(text), 10)] },
		"have seeds of no round from v": func(text string) string { return seeds.ReplaceAllString(text, "${1}7") },
	} {
		for _, audits := range []bool{true, false} {
			root := t.TempDir()
			treetest.Write(t, root, "v5.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000})
			if !audits {
				if err := os.RemoveAll(filepath.Join(root, "closed/Lab/compliance")); err != nil {
					t.Fatal(err)
				}
			}
			err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
				if err != nil || !strings.HasPrefix(e.Name(), "mlperf_log_") {
					return err
				}
				text, err := os.ReadFile(path)
				return errors.Join(err, os.WriteFile(path, []byte(spoil(string(text))), 0o666))
			})
			if err != nil {
				t.Fatal(err)
			}
			code := s.Run("audit", "verify", root)
			first, rest, _ := strings.Cut(s.Stderr.String(), "\n")
			if !strings.Contains(first, "the round is not known: ") || !strings.Contains(first, want) || code < 2 ||
				audits == strings.Contains(rest, "has no folder of a test") {
				t.Errorf("audits %v: exit code %d, want %q in the first line of %s", audits, code, want, s.Stderr.String())
			}
		}
	}
}
