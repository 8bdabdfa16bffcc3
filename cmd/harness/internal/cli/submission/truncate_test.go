package submission_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// scored makes a tree with one accuracy log of 20,000 bytes and its score.
func scored(t *testing.T) (root, log string) {
	t.Helper()
	root = t.TempDir()
	dir := filepath.Join(root, "closed", "Lab", "results", "box", "resnet50", "Offline", "accuracy")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(dir, "mlperf_log_accuracy.json")
	for path, text := range map[string]string{
		log: strings.Repeat("0123456789abcde\n", 1250), filepath.Join(dir, "accuracy.txt"): "accuracy=76.460%\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, log
}

func TestSubmissionTruncate(t *testing.T) {
	s := clitest.New(t)
	root, log := scored(t)
	keep := filepath.Join(s.Dir, "originals")
	s.Want(0, s.Run("submission", "truncate", root, "--keep", keep), log,
		"truncated, sha256 aa64f662252eb8f5", "20.0 kB in")
	s.Want(0, s.Run("submission", "truncate", root, "--keep", keep, "--verify"), "done before", "1 original read again")
	if err := os.Remove(filepath.Join(filepath.Dir(log), "accuracy.txt")); err != nil {
		t.Fatal(err)
	}
	s.Want(6, s.Run("submission", "truncate", root, "--keep", keep), "accuracy.txt is missing: score the whole log")
}

func TestSubmissionTruncateAsTheOfficialTool(t *testing.T) {
	s := clitest.New(t)
	root, log := scored(t)
	backup := filepath.Join(s.Dir, "backup")
	official := []string{"submission", "truncate", root, "--compatible", "--submitter", "Lab"}
	s.Want(0, s.Run(append(official, "--backup", backup)...), "INFO:main:closed/Lab/results/box/resnet50/Offline/"+
		"accuracy/mlperf_log_accuracy.json truncated", "INFO:main:Make sure you keep a backup of "+backup)
	if info, err := os.Stat(log); err != nil || info.Size() != 8199 {
		t.Errorf("%v, %v", info, err)
	}
	s.Want(1, s.Run(append(official, "--output", s.Dir)...), "output directory already exists")
}

func TestSubmissionTruncateWrongly(t *testing.T) {
	s := clitest.New(t)
	root, _ := scored(t)
	for text, args := range map[string][]string{
		"is missing; see":               {},
		"--keep DIR is missing":         {root},
		"goes with --compatible only":   {root, "--keep", s.Dir, "--backup", "x"},
		"does not go with --compatible": {root, "--compatible", "--keep", s.Dir},
		"needs --submitter":             {root, "--compatible", "--backup", "x"},
		"needs --backup DIR or":         {root, "--compatible", "--submitter", "Lab"},
	} {
		s.Want(2, s.Run(append([]string{"submission", "truncate"}, args...)...), text)
	}
	s.Want(2, s.Run("submission", "trunkate"), `did you mean "truncate"`)
	s.Want(2, s.Run("submission", "truncate", root, "--keep", s.Dir, "--submitter", "Lap"), "Lab")
	s.Want(2, s.Run("submission", "truncate", filepath.Join(root, "none"), "--keep", s.Dir), "none")
}
