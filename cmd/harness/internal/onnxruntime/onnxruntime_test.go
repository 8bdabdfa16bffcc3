package onnxruntime

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// archive is a tar.gz of entries; those that begin with -> are symbolic links.
func archive(t *testing.T, entries ...[2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e[0], Mode: 0o755, Size: int64(len(e[1])), Typeflag: tar.TypeReg}
		if target, link := strings.CutPrefix(e[1], "->"); link {
			h.Size, h.Typeflag, h.Linkname, e[1] = 0, tar.TypeSymlink, target, ""
		}
		if err := errors.Join(w.WriteHeader(h), write(w, e[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func write(w *tar.Writer, text string) error {
	_, err := w.Write([]byte(text))
	return err
}

// official is an archive as the project makes them. The library's last bytes are those that are given.
func official(t *testing.T, name, last string) []byte {
	release := name[strings.LastIndex(name, "-")+1:]
	return archive(t, [2]string{name + "/VERSION_NUMBER", release},
		[2]string{name + "/lib/libonnxruntime.so.1", string(onnxfile.Library(t, "linux", "amd64", release)) + last},
		[2]string{name + "/lib/libonnxruntime.so", "->libonnxruntime.so.1"})
}

// releases is a server of archives by their path.
type releases struct {
	*httptest.Server
	files map[string][]byte
	asked atomic.Int64
	// wait, if there is one for a path, is called before the answer.
	wait map[string]func()
}

func serve(t *testing.T) *releases {
	r := &releases{files: map[string][]byte{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.asked.Add(1)
		if wait := r.wait[q.URL.Path]; wait != nil {
			wait()
		}
		if b, ok := r.files[q.URL.Path]; ok {
			_, _ = w.Write(b)
			return
		}
		http.NotFound(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *releases) build() RuntimeBuild { return RuntimeBuild{From: r.URL, OS: "linux", Arch: "amd64"} }

// get fetches into dir.
func get(t *testing.T, dir string, b RuntimeBuild) (FetchedBuild, error) {
	t.Helper()
	c, err := fetch.Open(dir, fetch.Options{Attempts: 1, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return Fetch(t.Context(), c, dir, b)
}

const (
	name31 = "onnxruntime-linux-x64-1.31.1"
	path31 = "/v1.31.1/" + name31 + ".tgz"
)

func TestFetchPinsAtFirstUse(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	s.files[path31] = official(t, name31, "library")
	sum := fmt.Sprintf("%x", sha256.Sum256(s.files[path31]))
	got, err := get(t, dir, s.build())
	want := filepath.Join(dir, "onnxruntime", name31, name31, "lib", "libonnxruntime.so.1")
	if err != nil || got.Verified || got.SHA256 != sum || got.Path != want || got.Release != "1.31.1" ||
		got.Variant != "cpu" {
		t.Fatalf("first use: %+v, %v", got, err)
	}
	if text, err := os.ReadFile(got.Path); !strings.HasSuffix(string(text), "library") || err != nil {
		t.Errorf("the library holds %q, %v", text, err)
	}
	if l, ok, err := LastFetched(dir); l != got.Library || !ok || err != nil {
		t.Errorf("the last one: %+v, %v, %v", l, ok, err)
	}
	if got, err := get(t, dir, s.build()); err != nil || !got.Verified || s.asked.Load() != 1 {
		t.Errorf("second use: %+v, %v after %d downloads", got, err, s.asked.Load())
	}
	if err := os.RemoveAll(filepath.Join(dir, "onnxruntime", name31)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LastFetched(dir); exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(err.Error(), "harness fetch onnxruntime") {
		t.Errorf("a library that is gone: %v", err)
	}
	s.files[path31] = official(t, name31, "another")
	if _, err := get(t, dir, s.build()); !errors.Is(err, fetch.ErrChecksum) ||
		!strings.Contains(err.Error(), "that of the first download") {
		t.Errorf("another archive of that name: %v", err)
	}
	b := s.build()
	b.SHA256 = fmt.Sprintf("%x", sha256.Sum256(s.files[path31]))
	if got, err := get(t, dir, b); err != nil || !got.Verified {
		t.Errorf("with the user's checksum: %+v, %v", got, err)
	}
	if got, err := get(t, dir, s.build()); err != nil || !got.Verified || got.SHA256 != b.SHA256 {
		t.Errorf("which counts from then on: %+v, %v", got, err)
	}
}

func TestLastIsTheOneFetchedLast(t *testing.T) {
	s, dir := serve(t), t.TempDir()
	const gpu = "onnxruntime-linux-x64-gpu-1.26.0"
	s.files[path31], s.files["/v1.26.0/"+gpu+".tgz"] = official(t, name31, "cpu"), official(t, gpu, "cuda")
	for _, b := range []RuntimeBuild{{}, {Variant: "cuda", Release: "v1.26.0"}, {}} {
		b.From, b.OS, b.Arch = s.URL+"/", "linux", "amd64"
		got, err := get(t, dir, b)
		if err != nil {
			t.Fatal(err)
		}
		if l, ok, err := LastFetched(dir); l != got.Library || !ok || err != nil {
			t.Errorf("%+v: the last one is %+v, %v, %v", b, l, ok, err)
		}
	}
}

func TestArchiveNames(t *testing.T) {
	for want, b := range map[string]RuntimeBuild{
		"onnxruntime-linux-x64-1.31.1":            {OS: "linux", Arch: "amd64"},
		"onnxruntime-linux-aarch64-1.31.1":        {OS: "linux", Arch: "arm64"},
		"onnxruntime-osx-arm64-1.29.0":            {OS: "darwin", Arch: "arm64", Release: "1.29.0"},
		"onnxruntime-linux-x64-gpu_cuda12-1.31.1": {OS: "linux", Arch: "amd64", Variant: "cuda"},
		"onnxruntime-linux-x64-gpu-1.24.4":        {OS: "linux", Arch: "amd64", Variant: "cuda", Release: "1.24.4"},
		"onnxruntime-linux-x64-gpu_cuda13-1.24.4": {OS: "linux", Arch: "amd64", Variant: "cuda13", Release: "v1.24.4"},
	} {
		b, err := b.withDefaults()
		if address := ReleasesURL + "/v" + b.Release + "/" + want + ".tgz"; err != nil || b.archiveName() != want ||
			b.archiveFile().URL != address {
			t.Errorf("%s at %s, %v; want %s at %s", b.archiveName(), b.archiveFile().URL, err, want, address)
		}
	}
}

func TestFaults(t *testing.T) {
	s := serve(t)
	outside := archive(t, [2]string{"../../evil", "x"})
	link := archive(t, [2]string{name31 + "/lib", "->/etc"})
	s.files["/v1.0.1/onnxruntime-linux-x64-1.0.1.tgz"] = outside
	s.files["/v1.0.2/onnxruntime-linux-x64-1.0.2.tgz"] = link
	s.files["/v1.0.3/onnxruntime-linux-x64-1.0.3.tgz"] = archive(t, [2]string{"README", "no library"})
	s.files["/v1.0.4/onnxruntime-linux-x64-1.0.4.tgz"] = []byte(
		"no archive at all, though it is long enough to look at, at least for a moment")
	s.files[path31] = official(t, name31, "library")
	for name, c := range map[string]struct {
		build RuntimeBuild
		code  exitcode.Code
		want  string
	}{
		"no such release":  {RuntimeBuild{Release: "9.9.9"}, exitcode.Data, "is there a release 9.9.9?"},
		"no number":        {RuntimeBuild{Release: "latest"}, exitcode.Usage, `--release "latest", want three numbers`},
		"a path":           {RuntimeBuild{Release: "1.2.3/../x"}, exitcode.Usage, "want three numbers"},
		"another checksum": {RuntimeBuild{SHA256: strings.Repeat("0", 64)}, exitcode.Data, "want 0000"},
		"no checksum":      {RuntimeBuild{SHA256: "abc"}, exitcode.Data, "want 64 lower-case hex digits"},
		"no variant":       {RuntimeBuild{Variant: "rocm"}, exitcode.Usage, "want one of cpu, cuda, cuda13"},
		"no CUDA there": {RuntimeBuild{Variant: "cuda", Arch: "arm64"}, exitcode.Usage,
			"those of CUDA are for linux/amd64"},
		"another platform": {RuntimeBuild{OS: "plan9"}, exitcode.Usage, "no official archive is known for plan9/amd64"},
		"path outside":     {RuntimeBuild{Release: "1.0.1"}, exitcode.Data, "lies outside the archive"},
		"link outside":     {RuntimeBuild{Release: "1.0.2"}, exitcode.Data, "link"},
		"no library": {RuntimeBuild{Release: "1.0.3"}, exitcode.Data,
			"onnxruntime-linux-x64-1.0.3.tgz: it holds no library of ONNX Runtime"},
		"no archive": {RuntimeBuild{Release: "1.0.4"}, exitcode.Data, "neither tar"},
	} {
		t.Run(name, func(t *testing.T) {
			b, dir := c.build, t.TempDir()
			b.From = s.URL
			if b.OS == "" {
				b.OS = "linux"
			}
			if b.Arch == "" {
				b.Arch = "amd64"
			}
			got, err := get(t, dir, b)
			if err == nil || exitcode.Of(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v (code %d), want code %d and %q", got, err, exitcode.Of(err), c.code, c.want)
			}
			if l, ok, err := LastFetched(dir); ok || err != nil {
				t.Errorf("%+v counts as fetched, %v", l, err)
			}
		})
	}
}

func TestDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Dir(recordPath(dir)), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", strings.Repeat(" ", maxRecord+1)} {
		if err := os.WriteFile(recordPath(dir), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := LastFetched(dir); exitcode.Of(err) != exitcode.Data ||
			!strings.Contains(err.Error(), "remove it and fetch again") {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

func TestReleasesAreOrdered(t *testing.T) {
	if got := OldestRunning([]string{"ONNX Runtime 1.31.1", "", "acme 0.1", "ONNX Runtime 1.9.2"}); got != "1.9.2" {
		t.Errorf("running %q", got)
	}
	for release, older := range map[string]bool{
		"": true, "1.28.2": true, "1.31.0": true, NewestRelease: false, "1.32.0": false, "2.0.0-rc1": false,
	} {
		if IsOlder(release) != older {
			t.Errorf("%q is older: %v", release, !older)
		}
	}
}

// TestTwoFetchesAtOnceKeepBothPins fetches a build while the archive of another is on its way: the record names both.
func TestTwoFetchesAtOnceKeepBothPins(t *testing.T) {
	const name30, path30 = "onnxruntime-linux-x64-1.30.0", "/v1.30.0/onnxruntime-linux-x64-1.30.0.tgz"
	s, dir := serve(t), t.TempDir()
	s.files[path30], s.files[path31] = official(t, name30, "old"), official(t, name31, "new")
	older := s.build()
	older.Release = "1.30.0"
	s.wait = map[string]func(){path31: func() {
		if _, err := get(t, dir, older); err != nil {
			t.Error(err)
		}
	}}
	if _, err := get(t, dir, s.build()); err != nil {
		t.Fatal(err)
	}
	r, err := readRecord(dir)
	if err != nil || len(r.Archive) != 2 || r.Last.Release != "1.31.1" {
		t.Errorf("record %+v, %v, want the pins of both and the last one", r, err)
	}
}

// here is a machine for which tests make libraries.
func here() RuntimeBuild { return RuntimeBuild{OS: runtime.GOOS, Arch: runtime.GOARCH} }

// wheel is a Python package with the library for this machine.
func wheel(t *testing.T, release string) []byte {
	name, library := onnxfile.LibraryHere(t, release)
	return onnxfile.Zip(t, map[string][]byte{"onnxruntime/capi/" + name: library, "onnxruntime/__init__.py": nil})
}

// TestFetchAPackage takes the library out of a wheel that lies here, and out of one at an address.
func TestFetchAPackage(t *testing.T) {
	const file = "onnxruntime-1.32.0-cp311-cp311-manylinux_2_28_x86_64.whl"
	s, dir, path := serve(t), t.TempDir(), filepath.Join(t.TempDir(), file)
	s.files["/"+file] = wheel(t, "1.32.0")
	if err := os.WriteFile(path, s.files["/"+file], 0o644); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(s.files["/"+file]))
	for from, verifiedLater := range map[string]bool{path: false, s.URL + "/" + file: true} {
		b := here()
		b.From = from
		for again := range 2 {
			got, err := get(t, dir, b)
			if err != nil || got.Release != "1.32.0" || got.Variant != "cpu" || got.SHA256 != sum ||
				got.Verified != (verifiedLater && again == 1) {
				t.Fatalf("%s: %+v, %v", from, got, err)
			}
			if l, ok, err := LastFetched(dir); l != got.Library || !ok || err != nil {
				t.Errorf("%s: the last one: %+v, %v, %v", from, l, ok, err)
			}
		}
		b.SHA256 = sum
		if got, err := get(t, dir, b); err != nil || !got.Verified {
			t.Errorf("%s with its checksum: %+v, %v", from, got, err)
		}
	}
}

// TestFetchFromAnInterpreter asks a program in the place of Python where its module lies, and copies what belongs to
// the library.
func TestFetchFromAnInterpreter(t *testing.T) {
	module, bin, dir := filepath.Join(t.TempDir(), "onnxruntime"), t.TempDir(), t.TempDir()
	name, library := onnxfile.LibraryHere(t, "1.33.0")
	if err := os.MkdirAll(filepath.Join(module, "capi"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, contents := range map[string][]byte{
		name: library, "libonnxruntime_providers_cuda.so": nil, "onnxruntime_pybind11_state.so": nil,
	} {
		if err := os.WriteFile(filepath.Join(module, "capi", file), contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := here()
	b.From = filepath.Join(bin, "python3.11")
	says := func(script string) {
		if err := os.WriteFile(b.From, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	says("echo " + module)
	got, err := get(t, dir, b)
	if err != nil || got.Release != "1.33.0" || got.Variant != "cuda" || got.Verified ||
		!strings.HasPrefix(got.Path, dir) {
		t.Fatalf("%+v, %v", got, err)
	}
	if kept, err := filepath.Glob(filepath.Join(filepath.Dir(got.Path), "*")); err != nil || len(kept) != 2 {
		t.Errorf("kept are %q, %v, want the library and its provider", kept, err)
	}
	for script, want := range map[string]string{
		"echo":                          "has no module onnxruntime: install it there",
		"echo " + t.TempDir():           "it holds no library of ONNX Runtime",
		"echo spoiled >&2; exit 3":      "exit status 3: spoiled",
		"echo " + bin + "/no-such-file": "no such file",
	} {
		says(script)
		if _, err := get(t, dir, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
	b.SHA256 = strings.Repeat("0", 64)
	if _, err := get(t, dir, b); exitcode.Of(err) != exitcode.Usage {
		t.Errorf("an interpreter with a checksum: %v", err)
	}
}

// TestFaultsOfPackages says what is wrong with a source.
func TestFaultsOfPackages(t *testing.T) {
	dir := t.TempDir()
	for name, contents := range map[string][]byte{
		"none.whl": []byte("no archive, but long enough to be looked at, and for a moment at that"), "folder.whl/x": nil,
		"empty.jar": onnxfile.Zip(t, map[string][]byte{"README": nil}), "libonnxruntime.so": nil,
		"far.zip": onnxfile.Zip(t, map[string][]byte{
			"libonnxruntime.so": onnxfile.Library(t, "linux", "mips", "1.32.0"),
		}),
		"right.whl": wheel(t, "1.32.0"),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, contents, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		build RuntimeBuild
		code  exitcode.Code
		want  string
	}{
		"no archive":       {RuntimeBuild{From: "none.whl"}, exitcode.Data, "neither tar"},
		"no library":       {RuntimeBuild{From: "empty.jar"}, exitcode.Data, "holds no library of ONNX Runtime"},
		"another machine":  {RuntimeBuild{From: "far.zip"}, exitcode.Data, "holds no library of ONNX Runtime for"},
		"no such file":     {RuntimeBuild{From: "missing.whl"}, exitcode.Usage, "no such file"},
		"a folder":         {RuntimeBuild{From: "folder.whl"}, exitcode.Usage, "regular file"},
		"a library":        {RuntimeBuild{From: "libonnxruntime.so"}, exitcode.Usage, "named by --ort-lib PATH"},
		"a release":        {RuntimeBuild{From: "right.whl", Release: "1.32.0"}, exitcode.Usage, "leave them out"},
		"another checksum": {RuntimeBuild{From: "right.whl", SHA256: strings.Repeat("0", 64)}, exitcode.Data, "want 0000"},
	} {
		t.Run(name, func(t *testing.T) {
			b, cache := c.build, t.TempDir()
			b.From, b.OS, b.Arch = filepath.Join(dir, b.From), runtime.GOOS, runtime.GOARCH
			got, err := get(t, cache, b)
			if err == nil || exitcode.Of(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v (code %d), want code %d and %q", got, err, exitcode.Of(err), c.code, c.want)
			}
			if l, ok, err := LastFetched(cache); ok || err != nil {
				t.Errorf("%+v counts as fetched, %v", l, err)
			}
			if left, _ := filepath.Glob(filepath.Join(cache, cacheFolder, "*.whl*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
