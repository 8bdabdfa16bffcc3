package submission_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// runOf writes the summary of a run of a round into a tree.
func runOf(t *testing.T, root, submitter, round string) {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "closed", submitter, "results/box/resnet50/Offline/performance/run_1")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("Scenario : Offline\nResult is : VALID\nqsl_rng_seed : %d\n", rules.Seeds.QSL)
	if err := os.WriteFile(filepath.Join(dir, "mlperf_log_summary.txt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestTheRoundOfATreeIsFound: by the seeds of its logs, and what is not done with a round's submissions is said.
func TestTheRoundOfATreeIsFound(t *testing.T) {
	s := clitest.New(t)
	for _, round := range mlconf.Rounds() {
		root := t.TempDir()
		runOf(t, root, "Lab", round)
		found := fmt.Sprintf("round %s, by the seeds of 1 of 1 run", round)
		if round == mlconf.Rounds()[0] {
			found = ""
		}
		s.Want(3, s.Run("submission", "results", root), found, "1 without")
		s.Want(1, s.Run("submission", "check", root, "--compatible"), found, "by the rules "+round)
	}
	old := t.TempDir()
	runOf(t, old, "Lab", "v1.0")
	s.Want(3, s.Run("submission", "check", old), "round v1.0, by the seeds", "verdict by the rules v1.0: reject",
		"not judged: whether LoadGen is the round's: logs of the round name no version that tells it")
	s.Want(2, s.Run("submission", "pack", old, "--rules", "v1.0", "--out", filepath.Join(t.TempDir(), "x.tar.gz")),
		"submissions of v1.0 are taken by harness submission results and check alone")
	runOf(t, old, "Other", "v6.0")
	s.Want(3, s.Run("submission", "results", old), "holds runs of v1.0 and of v6.0; name the folder of one round",
		"the rules are those of v6.1, the newest")
	s.Want(2, s.Run("submission", "results", t.TempDir()), "no submission")
}

// TestTreesWithoutAResult: where no log can be read, or the round is none that is known, the first line says so, and
// the exit code that there is no result.
func TestTreesWithoutAResult(t *testing.T) {
	s := clitest.New(t)
	for text, first := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n": "are pointers of Git LFS, closed/Lab/",
		"Scenario : Offline\nResult is : VALID\nqsl_rng_seed : 5\n":           "have seeds of no round from v0.5 to ",
	} {
		root := t.TempDir()
		runOf(t, root, "Lab", "v6.0")
		log := filepath.Join(root, "closed/Lab/results/box/resnet50/Offline/performance/run_1/mlperf_log_summary.txt")
		if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for command, code := range map[string]int{"results": 3, "check": 3, "review": 2} {
			s.Want(code, s.Run("submission", command, root), first)
			line, _, _ := strings.Cut(s.Stderr.String(), "\n")
			if !strings.Contains(line, "the round is not known: the logs of ") || !strings.Contains(line, first) {
				t.Errorf("%s: the first line is %q, want %q in it", command, line, first)
			}
		}
	}
}
