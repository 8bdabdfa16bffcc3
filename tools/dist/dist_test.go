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
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
)

// TestPack packs a folder twice, with different times and modes that must not matter.
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
		sum, _, err := checksum.File(path)
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

// TestRuntimeOfAPackage extracts the library of one architecture from a jar with several.
func TestRuntimeOfAPackage(t *testing.T) {
	jar, plugins := filepath.Join(t.TempDir(), "onnxruntime.jar"), t.TempDir()
	arm := onnxfile.Library(t, "linux", "arm64", "1.32.0")
	files := map[string][]byte{
		"ai/onnxruntime/native/linux-x64/libonnxruntime.so":     onnxfile.Library(t, "linux", "amd64", "1.32.0"),
		"ai/onnxruntime/native/linux-aarch64/libonnxruntime.so": arm,
	}
	if err := os.WriteFile(jar, onnxfile.Zip(t, files), 0o644); err != nil {
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

// TestDist makes all packages of this machine's architecture twice, and installs, uses and removes each in its own
// root, without Go and without a network.
func TestDist(t *testing.T) {
	if os.Getenv("PLUMBLINE_TEST_DIST") == "" {
		t.Skip("make test-extra OF=dist makes the archives: some minutes")
	}
	inCheckout(t)
	d := dist{version: "v0.0.1", out: t.TempDir()}
	var sums []string
	for range 2 {
		if err := d.makeAll([]string{runtime.GOARCH}); err != nil {
			t.Fatal(err)
		}
		sums = append(sums, readFile(t, filepath.Join(d.out, "SHA256SUMS")))
	}
	if sums[0] != sums[1] {
		t.Errorf("made twice, the packages differ: %q", sums)
	}
	run(t, d.out, "sha256sum", "-c", "SHA256SUMS")
	m := made{d.out, filepath.Join(d.out, "plumbline-v0.0.1-linux-"+runtime.GOARCH)}
	t.Run("archive", m.archive)
	t.Run("deb", m.deb)
	t.Run("rpm", m.rpm)
	t.Run("container", m.container)
	t.Run("wheels", m.wheels)
}

// made contains the packages of a version.
type made struct{ out, name string }

func (m made) root(t *testing.T) cleanRoot { return newCleanRoot(t, m.name+"-root.tar.gz") }

// archive unpacks the archive like the Containerfile, follows the links of its documents, and runs it.
func (m made) archive(t *testing.T) {
	r := m.root(t)
	opt := filepath.Join(r.dir, "opt")
	run(t, opt, "tar", "xzf", m.name+".tar.gz")
	checkDocuments(t, filepath.Join(opt, filepath.Base(m.name)))
	readme := readFile(t, filepath.Join(opt, "plumbline", "README.md"))
	if !regexp.MustCompile(`with glibc 2\.[0-9]+ or later`).MatchString(readme) {
		t.Errorf("the README does not say which glibc is needed:\n%.1000s", readme)
	}
	for _, name := range []string{"sbom.cdx.json", "licences/go/LICENSE",
		"licences/onnxruntime/onnxruntime-LICENSE.txt", "licences/clip/clip-LICENSE.txt", "share/man/man1/harness-run.1",
		"share/completions/harness.bash", "LICENSE"} {
		if info, err := os.Stat(filepath.Join(opt, "plumbline", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.benchmark(t, "/opt/plumbline/bin/harness", "v0.0.1")
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Logf("skipped: the .tar.zst is not unpacked: %v", err)
		return
	}
	again := t.TempDir()
	run(t, again, "tar", "--zstd", "-xf", m.name+".tar.zst")
	run(t, again, "diff", "-r", filepath.Join(again, filepath.Base(m.name)), filepath.Join(opt, filepath.Base(m.name)))
}

// needed skips a test if a program is missing.
func needed(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

// only returns the only file that matches a pattern.
func (m made) only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(m.out, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v: want one", pattern, found, err)
	}
	return found[0]
}

// deb installs the .deb package, runs it, and removes it. This machine's dpkg checks its dependencies.
func (m made) deb(t *testing.T) {
	needed(t, "dpkg")
	file, r := m.only(t, "*.deb"), m.root(t)
	run(t, m.out, "dpkg", "--no-act", "--install", file)
	for _, folder := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(r.dir, "var/lib/dpkg", folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := []string{"dpkg", "--root=" + r.dir, "--log=/dev/null", "--force-depends"}
	run(t, m.out, append(dpkg, "--install", file)...)
	r.benchmark(t, "/usr/bin/harness", "v0.0.1")
	run(t, m.out, append(dpkg, "--purge", "plumbline")...)
	nothingLeft(t, filepath.Join(r.dir, "usr"))
}

// rpm installs the .rpm package, runs it, and removes it.
func (m made) rpm(t *testing.T) {
	needed(t, "rpm")
	file, r := m.only(t, "*.rpm"), m.root(t)
	rpm := []string{"rpm", "--root=" + r.dir, "--dbpath=/var/lib/rpm"}
	run(t, m.out, append(rpm, "--nodeps", "--install", file)...)
	r.benchmark(t, "/usr/bin/harness", "v0.0.1")
	run(t, m.out, append(rpm, "--erase", "plumbline")...)
	nothingLeft(t, filepath.Join(r.dir, "usr"))
}

// container builds the image of the Containerfile and runs it without podman's cgroups, which some machines lack.
func (m made) container(t *testing.T) {
	needed(t, "buildah")
	dir := t.TempDir()
	buildah := func(args ...string) string {
		store := []string{"buildah", "--storage-driver", "vfs", "--root", filepath.Join(dir, "store"), "--runroot",
			filepath.Join(dir, "run")}
		return strings.TrimSpace(run(t, m.out, append(store, args...)...))
	}
	buildah("build", "--isolation", "chroot", "--quiet", "--build-arg", "NAME="+filepath.Base(m.name),
		"--tag", "plumbline", m.out)
	container := buildah("from", "plumbline")
	said := buildah("run", "--isolation", "chroot", container, "--", "/opt/plumbline/bin/harness", "run", "resnet50",
		"--mode", "accuracy", "--count", "100", "--out", "/tmp/out")
	if !strings.Contains(said, "accuracy, 100 samples") {
		t.Errorf("the run printed\n%s", said)
	}
	if said := buildah("inspect", "--format", "{{.OCIv1.Config.Entrypoint}}", container); said !=
		"[/opt/plumbline/bin/harness]" {
		t.Errorf("the image starts %s", said)
	}
	buildah("rm", container)
}

// run runs a command without Go and without the user's settings.
func run(t *testing.T, home string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = home, []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + home}
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, text)
	}
	return string(text)
}
