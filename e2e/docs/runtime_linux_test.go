package docs

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestRuntimePage runs the commands of docs/tuning.md that fetch ONNX Runtime. A copy of the library beside the plugins
// stands in for the releases of a server, a wheel, and the module of a program that replaces Python. Runs then load it.
func TestRuntimePage(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libonnxruntime.so") // a copy: tar fails on files that are linked meanwhile
	built.Copy(t, filepath.Join("plugins", "libonnxruntime.so"), library)
	commands, _ := markdown.Commands(t, built.Doc("tuning.md"), "")
	releases := releaseServer(t, library)
	dir, bin, module := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Link(library, filepath.Join(module, "libonnxruntime.so.1")); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(bin, "python3"), "#!/bin/sh\necho "+module+"\n")
	if err := os.Chmod(filepath.Join(bin, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("PLUMBLINE_CACHE", cache)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run := []string{"--scenario", "Offline", "--mode", "accuracy", "--count", "8"}
	fetched, used := 0, false
	for _, args := range commands["Which runtime"] {
		switch {
		case args[0] == "run":
			args, used = append(args, append(run, "--out", t.TempDir(), "--force")...), true
		case len(args) == 2:
			args = append(args, "--from", releases)
		case strings.HasSuffix(args[3], ".whl"):
			writeWheel(t, filepath.Join(dir, args[3]), library)
		}
		cmd := harness.Command(t, built.Harness(), args...)
		cmd.Dir = dir
		r := harness.Finish(t, cmd).WantCode(t, 0)
		if args[0] == "fetch" {
			fetched++
			r.WantOutput(t, "use it with --ort-lib fetched")
			continue
		}
		r.WantOutput(t, "ONNX Runtime 1.")
	}
	if fetched != 3 || !used {
		t.Errorf("docs/tuning.md has %v under Which runtime, want three that fetch and a run", commands["Which runtime"])
	}
	t.Setenv("PLUMBLINE_ORT_LIB", "fetched")
	harness.Finish(t, harness.Command(t, built.Harness(), append([]string{"run", "resnet50"}, run...)...)).WantCode(t,
		0).WantOutput(t,
		"ONNX Runtime 1.")
	r := harness.Finish(t, harness.Command(t, built.Harness(), "doctor"))
	r.WantOutput(t, "by PLUMBLINE_ORT_LIB=fetched").WantOutput(t, cache)
	if err := os.RemoveAll(filepath.Join(cache, "onnxruntime")); err != nil {
		t.Fatal(err)
	}
	r = harness.Finish(t, harness.Command(t, built.Harness(), "run", "resnet50", "--dry-run")).WantCode(t, 6)
	if !strings.Contains(r.Stderr, "PLUMBLINE_ORT_LIB=fetched: no library was fetched") {
		t.Errorf("it printed:\n%s", r.Both())
	}
}

// writeWheel writes a Python package that contains the library.
func writeWheel(t *testing.T, path, library string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("onnxruntime/capi/libonnxruntime.so.1")
	if err == nil {
		_, err = w.Write([]byte(testfile.Read(t, library)))
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// releaseServer serves an archive of the library, laid out as the project's archives are, for every release.
func releaseServer(t *testing.T, library string) string {
	t.Helper()
	dir := t.TempDir()
	lib := filepath.Join(dir, "onnxruntime", "lib")
	if err := os.MkdirAll(lib, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(library, filepath.Join(lib, "libonnxruntime.so.1")); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "release.tgz")
	if text, err := exec.Command("tar", "czf", archive, "-C", dir, "onnxruntime").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, archive)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
