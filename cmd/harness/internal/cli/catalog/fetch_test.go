package catalog_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// serve is a server of one file; it returns the file's address.
func serve(t *testing.T, contents string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, contents)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/file"
}

func sum(contents string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(contents))) }

func TestFetch(t *testing.T) {
	s := clitest.New(t)
	model := &s.Fakes["resnet50"].Description.Models[0]
	model.Files[2].URL, model.Files[2].SHA256, model.Files[2].Size = serve(t, "weights"), sum("weights"), 7
	s.Want(6, s.Run("fetch", "resnet50", "--offline"), "resnet50_v1.onnx", s.Env["PLUMBLINE_CACHE"], sum("weights"))
	s.Want(0, s.Run("fetch", "resnet50"), "verified    resnet50_v1.onnx",
		"by hand     imagenet  its licence forbids downloading")
	s.Want(0, s.Run("fetch", "resnet50", "--offline"), "verified")
	s.Want(0, s.Run("run", "resnet50", "--model", "resnet50_v1.onnx", "--mode", "accuracy", "--smoke", "--out", s.Out()),
		"no target")
	if got := s.Fakes["resnet50"].Opened()[0].ModelFile; got != s.Env["PLUMBLINE_CACHE"]+
		"/models/resnet50/resnet50_v1.onnx" {
		t.Errorf("opened %s, want the fetched file", got)
	}
}

// Files of parts may have one name, and so may those of a scorer's models.
// TestFetchIntoNoFolder fetches where the cache cannot be made: another folder is the way out.
func TestFetchIntoNoFolder(t *testing.T) {
	s := clitest.New(t)
	model := &s.Fakes["resnet50"].Description.Models[0]
	model.Files[2].URL, model.Files[2].SHA256, model.Files[2].Size = serve(t, "weights"), sum("weights"), 7
	file := filepath.Join(s.Dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Env["PLUMBLINE_CACHE"] = filepath.Join(file, "cache")
	s.Want(2, s.Run("fetch", "resnet50"), file, "set PLUMBLINE_CACHE to a folder that can be written")
}

func TestFetchParts(t *testing.T) {
	s := clitest.New(t)
	model := &s.Fakes["resnet50"].Description.Models[0]
	model.Parts, model.ScorerParts = []sdk.PartInfo{{Name: "encoder"}, {Name: "decoder"}}, []sdk.PartInfo{{Name: "clip"}}
	file := func(part string) sdk.ModelFile {
		return sdk.ModelFile{Name: "model.onnx", Part: part, URL: serve(t, part), SHA256: sum(part), Size: int64(len(part))}
	}
	model.Files = []sdk.ModelFile{file("encoder"), file("decoder")}
	model.ScorerFiles = []sdk.ModelFile{file("clip")}
	run := []string{"run", "resnet50", "--model", "model.onnx", "--mode", "accuracy", "--smoke", "--out", s.Out()}
	s.Want(6, s.Run(run...), "--model encoder=model.onnx", "--model decoder=model.onnx",
		"the scorer's model clip is missing",
		"harness fetch resnet50")
	s.Want(0, s.Run("fetch", "resnet50"), "verified    model.onnx")
	s.Want(0, s.Run(run...), "no target")
	of := s.Env["PLUMBLINE_CACHE"] + "/models/resnet50/"
	if got := s.Fakes["resnet50"].Opened()[0].PartFiles; got["encoder"] != of+"encoder/model.onnx" ||
		got["decoder"] != of+"decoder/model.onnx" {
		t.Errorf("opened %v, want the fetched files", got)
	}
	if got := s.Fakes["resnet50"].Scored()[0].PartFiles; got["clip"] != of+"clip/model.onnx" {
		t.Errorf("scored with %v, want the fetched file", got)
	}
}

func TestFetchUnverified(t *testing.T) {
	s := clitest.New(t)
	file := &s.Fakes["resnet50"].Description.Models[0].Files[2]
	file.URL, file.Size = serve(t, "weights"), 0
	s.Want(0, s.Run("fetch", "resnet50"), "unverified  resnet50_v1.onnx", "no sha256 is known")
}

func TestFetchFaults(t *testing.T) {
	s := clitest.New(t)
	model := &s.Fakes["resnet50"].Description.Models[0]
	model.Files[2].URL, model.Files[2].SHA256, model.Files[2].Size = serve(t, "wrong"), sum("weights"), 0
	model.Datasets[1].Archives = []sdk.ArchiveFile{{Name: "labels", URL: serve(t, "labels"), SHA256: sum("labels")}}
	s.Want(6, s.Run("fetch", "resnet50"), sum("weights"), "verified    labels")
	s.Want(0, s.Run("fetch", "resnet50", "--file", "labels"), "labels")
	s.Want(2, s.Run("fetch", "resnet50", "--file", "lables"), "did you mean \"labels\"?")
	s.Want(2, s.Run("fetch", "bert"), "unknown model")
}

func TestFetchWithoutCacheFolder(t *testing.T) {
	s := clitest.New(t)
	s.Env["PLUMBLINE_CACHE"] = ""
	s.Want(2, s.Run("fetch", "resnet50"), "PLUMBLINE_CACHE")
}

// runtimeArchive is a build of ONNX Runtime for this machine, as its project packs them.
func runtimeArchive(t *testing.T) (path string, archive []byte) {
	t.Helper()
	machine := map[string]string{
		"linux/amd64": "linux-x64", "linux/arm64": "linux-aarch64", "darwin/arm64": "osx-arm64",
	}[runtime.GOOS+"/"+runtime.GOARCH]
	if machine == "" {
		t.Skipf("there are no builds for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	name := "onnxruntime-" + machine + "-" + onnxruntime.NewestRelease
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	file, library := onnxfile.LibraryHere(t, onnxruntime.NewestRelease)
	err := w.WriteHeader(&tar.Header{
		Name: name + "/lib/" + file, Mode: 0o755, Size: int64(len(library)), Typeflag: tar.TypeReg,
	})
	if _, written := w.Write(library); err != nil || written != nil {
		t.Fatal(err, written)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return "/v" + onnxruntime.NewestRelease + "/" + name + ".tgz", out.Bytes()
}

// pythonSays puts a program in the place of Python that says where its module onnxruntime lies.
func pythonSays(t *testing.T, module string) {
	t.Helper()
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\necho "+module+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestFetchRuntimeFromPython follows the advice of doctor, and makes the library the default.
func TestFetchRuntimeFromPython(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].Info.BackendInfo = map[string]string{"version": "ONNX Runtime 1.28.2"}
	s.Env["PLUMBLINE_ORT_LIB"] = "fetched"
	run := []string{"run", "resnet50", "--smoke", "--scenario", "Offline", "--mode", "accuracy", "--out", s.Out()}
	s.Want(6, s.Run(run...), "PLUMBLINE_ORT_LIB=fetched: no library was fetched; run `harness fetch onnxruntime`")
	s.Want(0, s.Run("list"), "resnet50")
	s.Run("doctor")
	s.Want(0, 0, "no library was fetched: run `harness fetch onnxruntime`, or unset PLUMBLINE_ORT_LIB")
	module := t.TempDir()
	pythonSays(t, module)
	s.Want(6, s.Run("fetch", "onnxruntime", "--from", "python3"), "it holds no library of ONNX Runtime")
	name, library := onnxfile.LibraryHere(t, "9.8.7")
	if err := os.WriteFile(filepath.Join(module, name), library, 0o644); err != nil {
		t.Fatal(err)
	}
	delete(s.Env, "PLUMBLINE_ORT_LIB")
	s.Run("doctor")
	s.Want(0, 0, "python3 has 9.8.7: `harness fetch onnxruntime --from python3` takes it")
	s.Want(0, s.Run("fetch", "onnxruntime", "--from", "python3"), "unverified  ONNX Runtime 9.8.7 (cpu)",
		"or always with PLUMBLINE_ORT_LIB=fetched")
	s.Env["PLUMBLINE_ORT_LIB"] = "fetched"
	s.Run("doctor")
	s.Want(0, 0, "runs use 1.28.2, by PLUMBLINE_ORT_LIB=fetched", "with --ort-lib fetched they use 9.8.7")
	if strings.Contains(s.Stdout.String(), "python3 has") {
		t.Errorf("it advises to fetch what was fetched:\n%s", s.Stdout.String())
	}
	s.Want(0, s.Run(run...), "accuracy")
	env := s.Fakes["resnet50"].Launched().Env
	if last := env[len(env)-1]; !strings.HasPrefix(last, "PLUMBLINE_ORT_LIB="+s.Env["PLUMBLINE_CACHE"]) {
		t.Errorf("the plugin is started with %q, want the fetched library", last)
	}
}

func TestFetchRuntime(t *testing.T) {
	pythonSays(t, "")
	path, archive := runtimeArchive(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	t.Cleanup(server.Close)
	s := clitest.New(t)
	s.Fakes["resnet50"].Info.BackendInfo = map[string]string{"version": "ONNX Runtime 1.28.2"}
	run := []string{"run", "resnet50", "--ort-lib", "fetched", "--smoke", "--scenario", "Offline",
		"--mode", "accuracy", "--out", s.Out()}
	s.Want(6, s.Run(run...), "--ort-lib fetched: no library was fetched; run `harness fetch onnxruntime`")
	s.Run("doctor")
	s.Want(0, 0, "runs use 1.28.2", onnxruntime.NewestRelease+" is known: get it with `harness fetch onnxruntime`")
	s.Want(6, s.Run("fetch", "onnxruntime", "--offline", "--from", server.URL), "offline", path)
	s.Want(0, s.Run("fetch", "onnxruntime", "--from", server.URL), "unverified  ONNX Runtime "+onnxruntime.NewestRelease,
		"pinned from now on", "--ort-lib fetched")
	s.Want(0, s.Run("fetch", "onnxruntime", "--from", server.URL), "verified    ONNX Runtime "+onnxruntime.NewestRelease)
	s.Run("doctor")
	s.Want(0, 0, "with --ort-lib fetched they use "+onnxruntime.NewestRelease+" (cpu)",
		s.Env["PLUMBLINE_CACHE"]+"/onnxruntime/")
	s.Want(0, s.Run(run...), "accuracy")
	if got := s.Fakes["resnet50"].Opened(); !strings.HasPrefix(got[len(got)-1].BackendOptions["lib"],
		s.Env["PLUMBLINE_CACHE"]+"/onnxruntime/") {
		t.Errorf("opened with %v, want the fetched library", got[len(got)-1].BackendOptions)
	}
	s.Want(6, s.Run("fetch", "onnxruntime", "--from", server.URL, "--release", "9.9.9"), "is there a release 9.9.9?")
	s.Want(2, s.Run("fetch", "onnxruntime", "--variant", "tpu"), "want one of cpu, cuda, cuda13")
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000000000")
	}))
	t.Cleanup(endless.Close)
	s.Want(6, s.Run("fetch", "onnxruntime", "--from", endless.URL, "--release", "1.30.0"),
		"the server has 5000000000 bytes, want at most 4294967296")
	s.Want(2, s.Run("fetch", "resnet50", "--release", "1.31.1"), "--release belongs to `harness fetch onnxruntime`")
}
