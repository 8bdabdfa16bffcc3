package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plumbline-ml/plumbline/internal/onnxlib/onnxlibtest"
)

// TestPack packs a folder twice, with other times and modes that do not count.
func TestPack(t *testing.T) {
	for _, name := range []string{"x.tar.gz", "x.tar.zst"} {
		t.Run(name, func(t *testing.T) { testPack(t, name) })
	}
}

func testPack(t *testing.T, archive string) {
	date := time.Unix(1_700_000_000, 0)
	var sums []string
	for i := range 2 {
		dir := t.TempDir()
		at := filepath.Join(dir, "name", "sub")
		if err := os.MkdirAll(at, 0o700+os.FileMode(i)*0o055); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{"b": 0o600, "a": 0o700 + os.FileMode(i)*0o055} {
			if err := os.WriteFile(filepath.Join(at, name), []byte(name), mode); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, archive)
		if err := pack(path, dir, "name", date); err != nil {
			t.Fatal(err)
		}
		sum, err := sha256Of(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
		if got, want := strings.Join(list(t, path), " "), "name/ name/sub/ name/sub/a name/sub/b"; got != want {
			t.Errorf("the archive has %s, want %s", got, want)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two archives of the same differ: %q", sums)
	}
}

func list(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var z io.Reader
	if filepath.Ext(path) == ".zst" {
		z, err = zstd.NewReader(f)
	} else {
		z, err = gzip.NewReader(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

func TestLicenceOf(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0":                                       "Apache-2.0",
		"Mozilla Public License Version 2.0":                                  "MPL-2.0",
		"Permission is hereby granted, free of\ncharge, to":                   "MIT",
		"Redistribution and use in source and binary forms. Neither the name": "BSD-3-Clause",
		"Redistribution and use in source and\nbinary forms":                  "BSD-2-Clause",
		"all rights reserved":                                                 noAssertion,
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	own, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if found := licenceOf(string(own)); err != nil || found != "Apache-2.0" {
		t.Errorf("%v; our own licence is %s", err, found)
	}
}

// TestContainerfile takes the steps of the Containerfile one by one, for where no builder is.
func TestContainerfile(t *testing.T) {
	text, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for line := range strings.Lines(string(text)) {
		if word, _, _ := strings.Cut(line, " "); strings.TrimSpace(word) != "#" {
			steps = append(steps, strings.TrimSpace(line))
		}
	}
	want := []string{
		"FROM debian:12-slim", // whose apt needs libstdc++, as ONNX Runtime does
		"ARG ARCHIVE", "ADD ${ARCHIVE} /opt/", "RUN mv /opt/plumbline-* /opt/plumbline", "WORKDIR /work",
		`ENTRYPOINT ["/opt/plumbline/bin/harness"]`,
	}
	if strings.Join(steps, "\n") != strings.Join(want, "\n") {
		t.Errorf("the steps are\n%q\nwant, as TestDist takes them,\n%q", steps, want)
	}
}

// TestRuntimeOfAPackage takes the library of the architecture out of a jar that has several.
func TestRuntimeOfAPackage(t *testing.T) {
	jar, plugins := filepath.Join(t.TempDir(), "onnxruntime.jar"), t.TempDir()
	arm := onnxlibtest.Library(t, "linux", "arm64", "1.32.0")
	files := map[string][]byte{
		"ai/onnxruntime/native/linux-x64/libonnxruntime.so":     onnxlibtest.Library(t, "linux", "amd64", "1.32.0"),
		"ai/onnxruntime/native/linux-aarch64/libonnxruntime.so": arm,
	}
	if err := os.WriteFile(jar, onnxlibtest.Zip(t, files), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := runtimeOf(jar, t.TempDir(), plugins, "arm64"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(plugins, libraryName)); err != nil || !bytes.Equal(got, arm) {
		t.Errorf("%d bytes, %v, want the library for arm64", len(got), err)
	}
	if err := runtimeOf("dist_test.go", t.TempDir(), plugins, "arm64"); err == nil ||
		!strings.Contains(err.Error(), "want a package that holds ONNX Runtime") {
		t.Error(err)
	}
}

// TestDist makes the archive of this machine's architecture twice, unpacks it as the Containerfile does, and runs a
// benchmark where there is no Go.
func TestDist(t *testing.T) {
	if os.Getenv("PLUMBLINE_TEST_DIST") == "" {
		t.Skip("make test-dist makes the archives: some minutes")
	}
	inCheckout(t)
	d := dist{version: "v0.0.1", out: t.TempDir()}
	arches := []string{"amd64"}
	var sums []string
	for range 2 {
		if err := d.make(arches); err != nil {
			t.Fatal(err)
		}
		sum, err := os.ReadFile(filepath.Join(d.out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(sum))
	}
	if sums[0] != sums[1] {
		t.Errorf("made twice, the archives differ: %q", sums)
	}
	opt := t.TempDir()
	run(t, opt, "tar", "xzf", filepath.Join(d.out, "plumbline-v0.0.1-linux-amd64.tar.gz"))
	run(t, opt, "sh", "-c", "mv "+opt+"/plumbline-* "+opt+"/plumbline")
	harness := filepath.Join(opt, "plumbline", "bin", "harness")
	if said := run(t, opt, harness, "version"); !strings.Contains(said, "harness v0.0.1") {
		t.Errorf("the version is %q", said)
	}
	said := run(t, opt, harness, "run", "resnet50", "--mode", "accuracy", "--out", filepath.Join(opt, "out"))
	if !strings.Contains(said, "PASS") {
		t.Errorf("the run printed\n%s", said)
	}
	checkDocuments(t, filepath.Join(opt, "plumbline"))
	for _, name := range []string{"sbom.cdx.json", "licences/go/LICENSE", "licences/onnxruntime/onnxruntime-LICENSE.txt",
		"licences/clip/clip-LICENSE.txt", "share/man/man1/harness-run.1", "share/completions/harness.bash", "LICENSE"} {
		if info, err := os.Stat(filepath.Join(opt, "plumbline", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// run runs a command without Go and without the user's settings.
func run(t *testing.T, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = home, []string{"PATH=/usr/bin:/bin", "HOME=" + home}
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, text)
	}
	return string(text)
}
