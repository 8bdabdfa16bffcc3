package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// precious is a file that no output may be written to, and linked replaces outputs with links to it and to a missing
// file. The function that it returns checks that nothing was written through them.
const precious = "precious\n"

func linked(t *testing.T, out string, names ...string) (check func()) {
	t.Helper()
	dir := t.TempDir()
	target := testfile.Write(t, filepath.Join(dir, "target"), precious)
	missing := filepath.Join(dir, "missing")
	for i, name := range names {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink([]string{target, missing}[i%2], path); err != nil {
			t.Skip(err)
		}
	}
	return func() {
		t.Helper()
		if text, err := os.ReadFile(target); err != nil || string(text) != precious {
			t.Errorf("what a link names was written to: %q, %v", text, err)
		}
		if _, err := os.Lstat(missing); err == nil {
			t.Error("what a link names was made")
		}
		for _, name := range names {
			if info, err := os.Lstat(filepath.Join(out, name)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v; want a file", name, info, err)
			}
		}
	}
}

// TestOutputsFollowNoLinks runs, scores and tunes with links in place of all written files. The output folder itself
// may be a link.
func TestOutputsFollowNoLinks(t *testing.T) {
	t.Parallel()
	disk, dir := t.TempDir(), t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.Symlink(disk, out); err != nil {
		t.Skip(err)
	}
	conf := testfile.Write(t, filepath.Join(dir, "user.conf"), "*.Offline.min_duration = 100\n")
	run := []string{"run", "null", "--plugin", "null", "--mode", "accuracy", "--scenario", "Offline",
		"--count", "10", "--quiet",
		"--user-conf", conf, "--out", out}
	const scenario = "null/Offline/"
	check := linked(t, out, scenario+"user.conf")
	harness.Run(t, run...).WantCode(t, 0)
	check()

	logs := []string{"mlperf_log_summary.txt", "mlperf_log_detail.txt", "mlperf_log_accuracy.json",
		"mlperf_log_trace.json", "accuracy.txt"}
	for i, name := range logs {
		logs[i] = scenario + "accuracy/" + name
	}
	check = linked(t, out, logs...)
	harness.Run(t, append(run, "--force")...).WantCode(t, 0)
	check()
	if info, err := os.Lstat(out); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the output folder is no link any more: %v", err)
	}

	check = linked(t, out, logs[len(logs)-1])
	harness.Run(t, "score", filepath.Join(out, scenario, "accuracy"), "--plugin", "null").WantCode(t, 0)
	check()

	r := harness.Finish(t, harness.Command(t, built.Harness(), "run", "null", "--plugin", "null", "--out",
		lockedByLink(t))).WantCode(t, 2)
	if !strings.Contains(r.Stderr, ".lock") {
		t.Errorf("a lock that is a link: %s", r.Stderr)
	}
}

// lockedByLink returns an output folder with a link in place of its lock.
func lockedByLink(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	if err := os.Symlink(filepath.Join(t.TempDir(), "none"), filepath.Join(out, ".lock")); err != nil {
		t.Skip(err)
	}
	return out
}
