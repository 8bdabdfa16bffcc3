package compliance_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
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
		if want := "round " + round + ", by the seeds of "; !strings.Contains(s.Stderr.String(), want) {
			t.Errorf("%q is missing in %s", want, s.Stderr.String())
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
