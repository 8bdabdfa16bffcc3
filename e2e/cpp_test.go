package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCppNewModule makes and proves what harness new writes in C++, where PLUMBLINE_CPP says that its needs are here.
func TestCppNewModule(t *testing.T) {
	if os.Getenv("PLUMBLINE_CPP") == "" {
		t.Skip("PLUMBLINE_CPP is not set: make test-cpp builds the backend in C++ (it needs a C++17 compiler, protoc and " +
			"gRPC for C++)")
	}
	dir := filepath.Join(t.TempDir(), "cppacme")
	harness(t, "new", "backend", dir, "--language", "cpp", "--checkout", built.root).wantCode(t, 0)
	cmd := exec.Command("make")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	on := []string{"null", "--backend", "process", "--backend-opt", "command=" + filepath.Join(dir, "backend")}
	for _, shared := range []string{"auto", "off"} {
		harness(t, append([]string{"run"}, append(on, "--backend-opt", "shared_memory="+shared, "--scenario", "Offline",
			"--mode", "accuracy", "--target", "accuracy=100",
			"--count", "500", "--out", t.TempDir(), "--quiet")...)...).wantCode(t, 0)
	}
	r := harness(t, append([]string{"verify"}, append(on, "--count", "32", "--memory-time", "2s")...)...).wantCode(t, 0)
	if !strings.Contains(r.stdout, "sound: ") {
		t.Errorf("it printed:\n%s", r.both())
	}
	wantMessage(t, harness(t, append([]string{"run"},
		append(on, "--backend-opt", "speed=high", "--out", t.TempDir())...)...).wantCode(t, 2), "unknown option speed=high")
	wantMessage(t, harness(t, "new", "benchmark", filepath.Join(t.TempDir(), "b"), "--language", "cpp",
		"--checkout", built.root).wantCode(t, 2), "no benchmark in C++")
}
