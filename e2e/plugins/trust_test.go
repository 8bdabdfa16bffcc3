package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// installUnlinked installs copies of the pinned files: a link that another test makes or removes changes a file's
// change time, and a pinned file that changes while it is started is refused.
func installUnlinked(t *testing.T) (dir string) {
	t.Helper()
	dir = built.Install(t, "plugins")
	for _, name := range []string{"plumbline-plugin-resnet50", "libonnxruntime.so"} {
		path := filepath.Join(dir, "plugins", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		built.Copy(t, filepath.Join("plugins", name), path)
	}
	return dir
}

// TestTrust pins a real plugin with the library that it loads. From then on, if either is changed, the plugin does not
// run.
func TestTrust(t *testing.T) {
	dir := installUnlinked(t)
	plugins := filepath.Join(dir, "plugins")
	pinned := func(args ...string) harness.Result {
		cmd := harness.Command(t, filepath.Join(dir, "harness"),
			append(args, "--plugin-dir", plugins, "--plugin", "resnet50", "--lock", filepath.Join(dir, "plugins.lock"))...)
		return harness.Finish(t, cmd)
	}
	library := filepath.Join(plugins, "libonnxruntime.so")
	harness.WantParts(t, pinned("trust", "resnet50").WantCode(t, 0).Stdout, "plumbline-plugin-resnet50", library)
	score := func() harness.Result {
		return pinned("run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--count", "50",
			"--out", t.TempDir(), "--force")
	}
	score().WantCode(t, 0)
	extra := testfile.Write(t, filepath.Join(plugins, "libextra.so"), "another library")
	harness.WantMessage(t, score().WantCode(t, 5), extra, "has no pin", "harness trust")
	if err := os.Remove(extra); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, library, string(text)+"\x00")
	harness.WantMessage(t, score().WantCode(t, 5), "the sha256 of "+library, "pins")
	harness.WantMessage(t, pinned("verify", "resnet50", "--only", "handshake").WantCode(t, 5), "the sha256 of "+library)
	pinned("trust", "resnet50").WantCode(t, 0)
	score().WantCode(t, 0)
}

// TestTrustAtTheSameTime runs 20 commands that pin one file each, and one that removes a pin: no change is lost.
func TestTrustAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, "plugins.lock")
	trust := func(args ...string) harness.Result {
		return harness.Run(t, append([]string{"trust", "--lock", lock}, args...)...)
	}
	gone := testfile.Write(t, filepath.Join(dir, "gone"), "x")
	testfile.Write(t, lock, "")
	trust("--with", gone).WantCode(t, 0)
	var wg sync.WaitGroup
	const files = 20
	results := make([]harness.Result, files+1)
	for i := range files {
		path := testfile.Write(t, filepath.Join(dir, fmt.Sprintf("file%d", i)), fmt.Sprint(i))
		wg.Go(func() { results[i] = trust("--with", path) })
	}
	wg.Go(func() { results[files] = trust("--remove", gone) })
	wg.Wait()
	for _, r := range results {
		r.WantCode(t, 0)
	}
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), filepath.Join(dir, "file")); n != files || strings.Contains(string(text), gone) {
		t.Errorf("%d pins, want %d and none of %s:\n%s", n, files, gone, text)
	}
}

// TestPinnedPluginsPreloadNothing sets LD_PRELOAD to a missing library, about which the loader of each program
// complains: the loader of a pinned plugin does not see it.
func TestPinnedPluginsPreloadNothing(t *testing.T) {
	dir := installUnlinked(t)
	lock := filepath.Join(dir, "plugins.lock")
	run := func(args ...string) (harness.Result, string) {
		out := t.TempDir()
		cmd := harness.Command(t, filepath.Join(dir, "harness"),
			append([]string{"run", "resnet50", "--plugin-dir", filepath.Join(dir, "plugins"), "--plugin", "resnet50",
				"--mode", "accuracy", "--scenario", "Offline", "--count", "50", "--out", out, "--force"}, args...)...)
		cmd.Env = append(cmd.Environ(), "LD_PRELOAD=/no/such/library.so")
		r := harness.Finish(t, cmd)
		printed, err := os.ReadFile(filepath.Join(out, "resnet50", "Offline", "accuracy", "plugin.log"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return r.WantCode(t, 0), string(printed)
	}
	if _, printed := run(); !strings.Contains(printed, "/no/such/library.so") {
		t.Skip("the loader of this system does not complain of a library that is not there: ", printed)
	}
	testfile.Write(t, lock, "")
	harness.Finish(t, harness.Command(t, filepath.Join(dir, "harness"), "trust", "resnet50", "--plugin-dir",
		filepath.Join(dir, "plugins"),
		"--lock", lock)).WantCode(t, 0)
	r, printed := run("--lock", lock)
	if strings.Contains(printed, "/no/such/library.so") || !strings.Contains(r.Stderr, "LD_PRELOAD is not passed on") {
		t.Errorf("the plugin heard of LD_PRELOAD: %q; the user reads %q", printed, r.Stderr)
	}
}
