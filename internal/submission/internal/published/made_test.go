package published

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMadeRepository reads a repository that lacks files and has links, large files and programs.
func TestMadeRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com",
			"-c", "core.autocrlf=false"}, args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	const place = "box/resnet/Offline"
	large := strings.Repeat("x", maxSize)
	for name, text := range map[string]string{
		"README.md":           "of the round\r\n",
		"closed/Lab/src/a.py": "print()", "closed/Lab/src/deep/b.bin": large,
		"closed/Lab/results/" + place + "/performance/run_1/mlperf_log_summary.txt": "a summary",
		"closed/Lab/results/" + place + "/performance/run_1/mlperf_log_trace.json":  large,
		"closed/Lab/compliance/box/bert/Server/TEST01/mlperf_log_detail.txt":        large,
		"closed/Lab/results/box/rgat/Offline/accuracy/mlperf_log_accuracy.json":     "absent",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("src", filepath.Join(dir, "closed/Lab/code")); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "a round")
	id := git("rev-parse", "HEAD:closed/Lab/results/box/rgat/Offline/accuracy/mlperf_log_accuracy.json")
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}

	r := openRepository(t, dir)
	folders, absent := r.incomplete()
	want := []string{"closed/Lab/results/box/bert/Server", "closed/Lab/results/box/rgat/Offline"}
	if absent != 1 || !slices.Equal(folders, want) || r.commit != git("rev-parse", "HEAD") {
		t.Errorf("%d files are absent, %q left out, commit %s", absent, folders, r.commit)
	}
	root := t.TempDir()
	r.checkOut(t, root)
	for name, want := range map[string]string{
		"README.md": "of the round\r\n", "closed/Lab/src/a.py": "", // whose text no check reads
		"closed/Lab/results/" + place + "/performance/run_1/mlperf_log_summary.txt": "a summary",
	} {
		if text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(root, "closed/Lab/code")); err != nil || to != "src" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for _, name := range []string{"closed/Lab/src/deep/b.bin",
		"closed/Lab/compliance/box/bert/Server/TEST01/mlperf_log_detail.txt",
		"closed/Lab/results/box/rgat/Offline/accuracy/mlperf_log_accuracy.json"} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}
