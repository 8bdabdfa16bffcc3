package plugins

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// TestCppNewModule builds and verifies the module that harness new writes in C++, if PLUMBLINE_CPP says that its
// requirements are installed.
func TestCppNewModule(t *testing.T) {
	if os.Getenv("PLUMBLINE_CPP") == "" {
		t.Skip("PLUMBLINE_CPP is not set: make test-extra OF=cpp builds the backend in C++ (it needs a C++17 compiler, " +
			"protoc and gRPC for C++)")
	}
	dir := filepath.Join(t.TempDir(), "cppacme")
	harness.Run(t, "new", "backend", dir, "--language", "cpp", "--checkout", built.Root()).WantCode(t, 0)
	cmd := exec.Command("make")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	on := []string{"null", "--backend", "process", "--backend-opt", "command=" + filepath.Join(dir, "backend")}
	for _, shared := range []string{"auto", "off"} {
		harness.Run(t, append([]string{"run"}, append(on, "--backend-opt", "shared_memory="+shared, "--scenario", "Offline",
			"--mode", "accuracy", "--target", "accuracy=100",
			"--count", "500", "--out", t.TempDir(), "--quiet")...)...).WantCode(t, 0)
	}
	r := harness.Run(t, append([]string{"verify"}, append(on, "--count", "32", "--memory-time", "2s")...)...).WantCode(t,
		0)
	if !strings.Contains(r.Stdout, "sound: ") {
		t.Errorf("it printed:\n%s", r.Both())
	}
	harness.WantMessage(t, harness.Run(t, append([]string{"run"},
		append(on, "--backend-opt", "speed=high", "--out", t.TempDir())...)...).WantCode(t, 2), "unknown option speed=high")
	harness.WantMessage(t, harness.Run(t, "new", "benchmark", filepath.Join(t.TempDir(), "b"), "--language", "cpp",
		"--checkout", built.Root()).WantCode(t, 2), "no benchmark in C++")
}
