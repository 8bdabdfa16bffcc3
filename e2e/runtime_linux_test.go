package e2e

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRuntimePage gives the commands of docs/tuning.md that fetch ONNX Runtime: the library beside the plugins lies in
// the releases of a server, in a wheel and in the module of a program in the place of Python. Runs then load it.
func TestRuntimePage(t *testing.T) {
	library := filepath.Join(built.dir, "plugins", "libonnxruntime.so")
	commands, _ := pageCommands(t, "tuning.md", "")
	releases := releaseServer(t, library)
	dir, bin, module := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Link(library, filepath.Join(module, "libonnxruntime.so.1")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(bin, "python3"), "#!/bin/sh\necho "+module+"\n")
	if err := os.Chmod(filepath.Join(bin, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("PLUMBLINE_CACHE", cache)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run := []string{"--scenario", "Offline", "--mode", "accuracy", "--set", "performance_sample_count_override=8"}
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
		cmd := command(t, harnessBinary(), args...)
		cmd.Dir = dir
		r := finish(t, cmd).wantCode(t, 0)
		if args[0] == "fetch" {
			fetched++
			r.wantOutput(t, "use it with --ort-lib fetched")
			continue
		}
		r.wantOutput(t, "ONNX Runtime 1.")
	}
	if fetched != 3 || !used {
		t.Errorf("docs/tuning.md has %v under Which runtime, want three that fetch and a run", commands["Which runtime"])
	}
	t.Setenv("PLUMBLINE_ORT_LIB", "fetched")
	finish(t, command(t, harnessBinary(), append([]string{"run", "resnet50"}, run...)...)).wantCode(t, 0).wantOutput(t,
		"ONNX Runtime 1.")
	r := finish(t, command(t, harnessBinary(), "doctor"))
	r.wantOutput(t, "by PLUMBLINE_ORT_LIB=fetched").wantOutput(t, cache)
	if err := os.RemoveAll(filepath.Join(cache, "onnxruntime")); err != nil {
		t.Fatal(err)
	}
	r = finish(t, command(t, harnessBinary(), "run", "resnet50", "--dry-run")).wantCode(t, 6)
	if !strings.Contains(r.stderr, "PLUMBLINE_ORT_LIB=fetched: none was fetched") {
		t.Errorf("it printed:\n%s", r.both())
	}
}

// writeWheel makes a Python package with the library.
func writeWheel(t *testing.T, path, library string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("onnxruntime/capi/libonnxruntime.so.1")
	if err == nil {
		_, err = w.Write([]byte(read(t, library)))
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

// releaseServer has an archive of the library as the project makes them, for whatever release.
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
