package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/tools/internal/modfiles"
)

func TestVersions(t *testing.T) {
	for _, args := range [][]string{nil, {"1.2.3"}, {"v1.2"}, {"v2.0.0"}, {"v1.0.0", "v1.0.1"}, {"v1.0.0+x"}} {
		if err := release(args, t.TempDir(), false); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// TestProxy writes the proxy of a release: go.mod files contain no replacements and require the siblings at the
// version, and go.sum files name them.
func TestProxy(t *testing.T) {
	proxy := writeProxy(t)
	ours := filepath.Join(proxy, filepath.FromSlash(modfiles.Root))
	for _, module := range []string{".", "examples", "loadgen", "sdk", "tools"} {
		path := filepath.Join(ours, module, "@v", "v0.99.0.mod")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "replace") || strings.Contains(string(text), "v0.0.0\n") {
			t.Errorf("%s is not that of a release:\n%s", path, text)
		}
	}
	whole := filepath.Join(ours, "@v", "v0.99.0.zip")
	if info, err := os.Stat(whole); err != nil || info.Size() < 100_000 || info.Size() > 200_000_000 {
		t.Errorf("%v; want an archive of the product, models included", err)
	}
}

// TestInstall installs harness and a plugin from the proxy and runs doctor and a benchmark. It lets harness new write a
// module, which requires the released modules, builds, passes its tests, and runs.
func TestInstall(t *testing.T) {
	if os.Getenv("PLUMBLINE_TEST_DIST") == "" {
		t.Skip("make test-extra OF=dist installs from a proxy: some minutes")
	}
	proxy, home := writeProxy(t), t.TempDir()
	cache, err := commandOutput("go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	goTool := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOSUMDB=off", "GOFLAGS=-modcacherw",
			"GOBIN="+filepath.Join(home, "bin"),
			"GOMODCACHE="+filepath.Join(home, "modules"), "CGO_ENABLED=1",
			"GOPROXY=file://"+proxy+",file://"+filepath.Join(strings.TrimSpace(cache), "cache", "download"))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, text)
		}
	}
	install := func(pkg string) {
		t.Helper()
		goTool(home, "install", modfiles.Root+"/"+pkg+"@v0.99.0")
	}
	ask := func(args ...string) string {
		cmd := exec.Command(filepath.Join(home, "bin", "harness"), args...)
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		text, _ := cmd.CombinedOutput() // doctor finds faults
		return string(text)
	}
	install("cmd/harness")
	if said := ask("version"); !strings.Contains(said, "v0.99.0") {
		t.Errorf("the version is %s", said)
	}
	plugins := filepath.Join(home, "bin", "plugins")
	for _, want := range []string{plugins, "go install " + modfiles.Root, "harness fetch onnxruntime"} {
		if said := ask("doctor"); !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("%q is missing in:\n%s", want, said)
		}
	}
	install("cmd/plugins/plumbline-plugin-null")
	said := ask("run", "null", "--scenario", "Offline", "--out", filepath.Join(home, "out"))
	if !strings.Contains(said, "VALID") {
		t.Errorf("the run printed\n%s", said)
	}
	module := filepath.Join(home, "acme")
	if said := ask("new", "backend", module); !strings.Contains(said, "  go mod tidy\n") {
		t.Fatalf("harness new printed\n%s", said)
	}
	goTool(module, "mod", "tidy")
	goTool(module, "test", "./...")
	goTool(module, "build", "-o", "bin/plumbline-plugin-clusters-acme", ".")
	said = ask("run", "clusters", "--plugin-dir", filepath.Join(module, "bin"), "--scenario", "Offline", "--out",
		filepath.Join(home, "clusters"))
	if !strings.Contains(said, "VALID") || !strings.Contains(said, "PASS") {
		t.Errorf("the run of the new module printed\n%s", said)
	}
}

func writeProxy(t *testing.T) string {
	t.Helper()
	if _, err := commandOutput("git", "rev-parse", "HEAD"); err != nil {
		t.Skip("no git checkout: a release is made in one")
	}
	t.Chdir(filepath.Join("..", ".."))
	proxy := filepath.Join(t.TempDir(), "proxy")
	if err := release([]string{"v0.99.0"}, proxy, false); err != nil {
		t.Fatal(err)
	}
	return proxy
}
