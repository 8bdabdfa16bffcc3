package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestTrust pins a real plugin with the library that it loads. From then on both must be the same; what
// was changed does not run.
func TestTrust(t *testing.T) {
	dir := install(t)
	plugins := filepath.Join(dir, "plugins")
	harness := func(args ...string) result {
		cmd := command(t, filepath.Join(dir, "harness"),
			append(args, "--plugin-dir", plugins, "--plugin", "resnet50", "--lock", filepath.Join(dir, "plugins.lock"))...)
		return finish(t, cmd)
	}
	library := filepath.Join(plugins, "libonnxruntime.so")
	wantParts(t, harness("trust", "resnet50").wantCode(t, 0).stdout, "plumbline-plugin-resnet50", library)
	score := func() result {
		return harness("run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--count", "50",
			"--out", t.TempDir(), "--force")
	}
	score().wantCode(t, 0)
	extra := write(t, filepath.Join(plugins, "libextra.so"), "another library")
	wantMessage(t, score().wantCode(t, 5), extra, "has no pin", "harness trust")
	if err := os.Remove(extra); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(library); err != nil { // it is a link to that of all tests
		t.Fatal(err)
	}
	write(t, library, string(text)+"\x00")
	wantMessage(t, score().wantCode(t, 5), "the sha256 of "+library, "pins")
	wantMessage(t, harness("verify", "resnet50", "--only", "handshake").wantCode(t, 5), "the sha256 of "+library)
	harness("trust", "resnet50").wantCode(t, 0)
	score().wantCode(t, 0)
}

func wantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// TestTrustAtTheSameTime runs 20 commands that pin a file each, and one that takes a pin away: no change is lost.
func TestTrustAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, "plugins.lock")
	trust := func(args ...string) result {
		return harness(t, append([]string{"trust", "--lock", lock}, args...)...)
	}
	gone := write(t, filepath.Join(dir, "gone"), "x")
	write(t, lock, "")
	trust("--with", gone).wantCode(t, 0)
	var wg sync.WaitGroup
	const files = 20
	results := make([]result, files+1)
	for i := range files {
		path := write(t, filepath.Join(dir, fmt.Sprintf("file%d", i)), fmt.Sprint(i))
		wg.Go(func() { results[i] = trust("--with", path) })
	}
	wg.Go(func() { results[files] = trust("--remove", gone) })
	wg.Wait()
	for _, r := range results {
		r.wantCode(t, 0)
	}
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), filepath.Join(dir, "file")); n != files || strings.Contains(string(text), gone) {
		t.Errorf("%d pins, want %d and none of %s:\n%s", n, files, gone, text)
	}
}

// TestPinnedPluginsPreloadNothing sets LD_PRELOAD to a library that is not there, of which the loader of each program
// complains: that of a pinned plugin does not hear of it.
func TestPinnedPluginsPreloadNothing(t *testing.T) {
	dir := install(t)
	lock := filepath.Join(dir, "plugins.lock")
	run := func(args ...string) (result, string) {
		out := t.TempDir()
		cmd := command(t, filepath.Join(dir, "harness"),
			append([]string{"run", "resnet50", "--plugin-dir", filepath.Join(dir, "plugins"), "--plugin", "resnet50",
				"--mode", "accuracy", "--scenario", "Offline", "--count", "50", "--out", out, "--force"}, args...)...)
		cmd.Env = append(cmd.Environ(), "LD_PRELOAD=/no/such/library.so")
		r := finish(t, cmd)
		printed, err := os.ReadFile(filepath.Join(out, "resnet50", "Offline", "accuracy", "plugin.log"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return r.wantCode(t, 0), string(printed)
	}
	if _, printed := run(); !strings.Contains(printed, "/no/such/library.so") {
		t.Skip("the loader of this system does not complain of a library that is not there: ", printed)
	}
	write(t, lock, "")
	finish(t, command(t, filepath.Join(dir, "harness"), "trust", "resnet50", "--plugin-dir", filepath.Join(dir, "plugins"),
		"--lock", lock)).wantCode(t, 0)
	r, printed := run("--lock", lock)
	if strings.Contains(printed, "/no/such/library.so") || !strings.Contains(r.stderr, "LD_PRELOAD is not passed on") {
		t.Errorf("the plugin heard of LD_PRELOAD: %q; the user reads %q", printed, r.stderr)
	}
}
