package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrust pins a real plugin with the library that it loads. From then on both must be the same; what was changed does
// not run.
func TestTrust(t *testing.T) {
	dir := install(t)
	plugins := filepath.Join(dir, "plugins")
	harness := func(args ...string) result {
		cmd := command(t, filepath.Join(dir, "harness"), append(args, "--plugin-dir", plugins, "--plugin", "resnet50", "--lock", filepath.Join(dir, "plugins.lock"))...)
		return finish(t, cmd)
	}
	library := filepath.Join(plugins, "libonnxruntime.so")
	wantParts(t, harness("trust", "resnet50").wantCode(t, 0).stdout, "plumbline-plugin-resnet50", library)
	score := func() result {
		return harness("run", "resnet50", "--mode", "accuracy", "--scenario", "Offline", "--count", "50", "--out", t.TempDir(), "--force")
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
