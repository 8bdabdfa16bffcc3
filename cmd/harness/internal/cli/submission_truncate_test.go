package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	s := newShell(t)
	root, log := scored(t)
	keep := filepath.Join(s.dir, "originals")
	s.want(0, s.run("submission", "truncate", root, "--keep", keep), log,
		"truncated, sha256 aa64f662252eb8f5", "20.0 kB in")
	s.want(0, s.run("submission", "truncate", root, "--keep", keep, "--verify"), "done before", "1 original read again")
	if err := os.Remove(filepath.Join(filepath.Dir(log), "accuracy.txt")); err != nil {
		t.Fatal(err)
	}
	s.want(6, s.run("submission", "truncate", root, "--keep", keep), "accuracy.txt is missing: score the whole log")
}

func TestSubmissionTruncateAsTheOfficialTool(t *testing.T) {
	s := newShell(t)
	root, log := scored(t)
	backup := filepath.Join(s.dir, "backup")
	official := []string{"submission", "truncate", root, "--compatible", "--submitter", "Lab"}
	s.want(0, s.run(append(official, "--backup", backup)...), "INFO:main:closed/Lab/results/box/resnet50/Offline/"+
		"accuracy/mlperf_log_accuracy.json truncated", "INFO:main:Make sure you keep a backup of "+backup)
	if info, err := os.Stat(log); err != nil || info.Size() != 8199 {
		t.Errorf("%v, %v", info, err)
	}
	s.want(1, s.run(append(official, "--output", s.dir)...), "output directory already exists")
}

func TestSubmissionTruncateWrongly(t *testing.T) {
	s := newShell(t)
	root, _ := scored(t)
	for text, args := range map[string][]string{
		"is missing; see":               {},
		"--keep DIR is missing":         {root},
		"goes with --compatible only":   {root, "--keep", s.dir, "--backup", "x"},
		"does not go with --compatible": {root, "--compatible", "--keep", s.dir},
		"needs --submitter":             {root, "--compatible", "--backup", "x"},
		"needs --backup DIR or":         {root, "--compatible", "--submitter", "Lab"},
	} {
		s.want(2, s.run(append([]string{"submission", "truncate"}, args...)...), text)
	}
	s.want(2, s.run("submission", "trunkate"), `did you mean "truncate"`)
	s.want(2, s.run("submission", "truncate", root, "--keep", s.dir, "--submitter", "Lap"), "Lab")
	s.want(2, s.run("submission", "truncate", filepath.Join(root, "none"), "--keep", s.dir), "none")
}
