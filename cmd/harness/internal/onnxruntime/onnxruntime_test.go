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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/fetch"

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

// official is an archive as the project makes them.
func official(t *testing.T, name, contents string) []byte {
	return archive(t, [2]string{name + "/VERSION_NUMBER", "1.31.1"},
		[2]string{name + "/lib/libonnxruntime.so.1", contents},
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

func (r *releases) build() Build { return Build{From: r.URL, OS: "linux", Arch: "amd64"} }

// get fetches into dir.
func get(t *testing.T, dir string, b Build) (Fetched, error) {
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
	want := filepath.Join(dir, "onnxruntime", name31, name31, "lib", "libonnxruntime.so")
	if err != nil || got.Verified || got.SHA256 != sum || got.Path != want || got.Release != "1.31.1" ||
		got.Variant != "cpu" {
		t.Fatalf("first use: %+v, %v", got, err)
	}
	if text, err := os.ReadFile(got.Path); string(text) != "library" || err != nil {
		t.Errorf("the library holds %q, %v", text, err)
	}
	if l, ok, err := Last(dir); l != got.Library || !ok || err != nil {
		t.Errorf("the last one: %+v, %v, %v", l, ok, err)
	}
	if got, err := get(t, dir, s.build()); err != nil || !got.Verified || s.asked.Load() != 1 {
		t.Errorf("second use: %+v, %v after %d downloads", got, err, s.asked.Load())
	}
	if err := os.RemoveAll(filepath.Join(dir, "onnxruntime", name31)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Last(dir); exitcode.Of(err) != exitcode.Data ||
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
	for _, b := range []Build{{}, {Variant: "cuda", Release: "v1.26.0"}, {}} {
		b.From, b.OS, b.Arch = s.URL+"/", "linux", "amd64"
		got, err := get(t, dir, b)
		if err != nil {
			t.Fatal(err)
		}
		if l, ok, err := Last(dir); l != got.Library || !ok || err != nil {
			t.Errorf("%+v: the last one is %+v, %v, %v", b, l, ok, err)
		}
	}
}

func TestArchiveNames(t *testing.T) {
	for want, b := range map[string]Build{
		"onnxruntime-linux-x64-1.31.1":            {OS: "linux", Arch: "amd64"},
		"onnxruntime-linux-aarch64-1.31.1":        {OS: "linux", Arch: "arm64"},
		"onnxruntime-osx-arm64-1.29.0":            {OS: "darwin", Arch: "arm64", Release: "1.29.0"},
		"onnxruntime-linux-x64-gpu_cuda12-1.31.1": {OS: "linux", Arch: "amd64", Variant: "cuda"},
		"onnxruntime-linux-x64-gpu-1.24.4":        {OS: "linux", Arch: "amd64", Variant: "cuda", Release: "1.24.4"},
		"onnxruntime-linux-x64-gpu_cuda13-1.24.4": {OS: "linux", Arch: "amd64", Variant: "cuda13", Release: "v1.24.4"},
	} {
		b, err := b.withDefaults()
		if address := Releases + "/v" + b.Release + "/" + want + ".tgz"; err != nil || b.name() != want ||
			b.file().URL != address {
			t.Errorf("%s at %s, %v; want %s at %s", b.name(), b.file().URL, err, want, address)
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
		build Build
		code  exitcode.Code
		want  string
	}{
		"no such release":  {Build{Release: "9.9.9"}, exitcode.Data, "is there a release 9.9.9?"},
		"no number":        {Build{Release: "latest"}, exitcode.Usage, `--release "latest", want three numbers`},
		"a path":           {Build{Release: "1.2.3/../x"}, exitcode.Usage, "want three numbers"},
		"another checksum": {Build{SHA256: strings.Repeat("0", 64)}, exitcode.Data, "want 0000"},
		"no checksum":      {Build{SHA256: "abc"}, exitcode.Data, "want 64 lower-case hex digits"},
		"no variant":       {Build{Variant: "rocm"}, exitcode.Usage, "want one of cpu, cuda, cuda13"},
		"no CUDA there":    {Build{Variant: "cuda", Arch: "arm64"}, exitcode.Usage, "those of CUDA are for linux/amd64"},
		"another platform": {Build{OS: "plan9"}, exitcode.Usage, "no official archive is known for plan9/amd64"},
		"path outside":     {Build{Release: "1.0.1"}, exitcode.Data, "lies outside the archive"},
		"link outside":     {Build{Release: "1.0.2"}, exitcode.Data, "link"},
		"no library": {Build{Release: "1.0.3"}, exitcode.Data,
			"holds no onnxruntime-linux-x64-1.0.3/lib/libonnxruntime.so"},
		"no archive": {Build{Release: "1.0.4"}, exitcode.Data, "neither tar"},
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
			if l, ok, err := Last(dir); ok || err != nil {
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
	for _, text := range []string{"{", strings.Repeat(" ", mostRecord+1)} {
		if err := os.WriteFile(recordPath(dir), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Last(dir); exitcode.Of(err) != exitcode.Data ||
			!strings.Contains(err.Error(), "remove it and fetch again") {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

func TestReleasesAreOrdered(t *testing.T) {
	if got := Running([]string{"ONNX Runtime 1.31.1", "", "acme 0.1", "ONNX Runtime 1.9.2"}); got != "1.9.2" {
		t.Errorf("running %q", got)
	}
	for release, older := range map[string]bool{
		"": true, "1.28.2": true, "1.31.0": true, Newest: false, "1.32.0": false, "2.0.0-rc1": false,
	} {
		if Older(release) != older {
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
