package submission_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestSubmissionOfAnInvalidRun ends with the code of an INVALID run, whatever else is not made then, and gives no
// advice as if a run had not been made.
func TestSubmissionOfAnInvalidRun(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].IssueTime = func(int) time.Duration { return 3 * time.Millisecond } // above the limit
	workspace, tree := filepath.Join(s.Dir, "ws"), filepath.Join(s.Dir, "tree")
	s.Want(0, s.Run("submission", "init", "--workspace", workspace, "--submitter", "Toylab", "--system", "toy"))
	code := s.Run("submission", "run", "resnet50", "--rehearsal", "--smoke", "--scenario", "Server", "--workspace",
		workspace,
		"--tree", tree, "--out", s.Out(), "--quiet", "--set", "target_latency=1")
	s.Want(3, code, "INVALID")
	if all := s.Stdout.String() + s.Stderr.String(); strings.Contains(all, "run it again") {
		t.Errorf("advice that does not fit:\n%s", all)
	}
}
