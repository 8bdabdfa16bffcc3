package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blakesmith/ar"
	"github.com/klauspost/compress/zstd"

	"github.com/plumbline-ml/plumbline/internal/checksum"
)

// smallTree makes a folder like that of an archive, with the shell as each program, which needs glibc.
func smallTree(t *testing.T) string {
	t.Helper()
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	f, err := elf.Open(shell)
	if err != nil {
		t.Skipf("%s is no program of Linux: %v", shell, err)
	}
	f.Close()
	text := []byte(readFile(t, shell))
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"bin/harness": text, "libexec/plumbline/plugins/plumbline-plugin-null": text, "README.md": []byte("# it\n"),
		"share/man/man1/harness.1": []byte(".TH\n"), "share/completions/harness.zsh": []byte("#compdef\n"),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if len(content) == len(text) {
			mode = 0o755
		}
		if err := os.WriteFile(path, content, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSystemPackages makes packages of a small folder twice and reads the .deb package.
func TestSystemPackages(t *testing.T) {
	tree := smallTree(t)
	t.Chdir(filepath.Join("..", "..")) // where LICENSE is
	var before []string
	for range 2 {
		d := dist{version: "v1.2.3-rc.1", out: t.TempDir(), date: time.Unix(1_700_000_000, 0).UTC()}
		made, err := d.systemPackages(platform{arch: "amd64"}, tree)
		if err != nil || len(made) != 2 {
			t.Fatalf("%q, %v: want two packages", made, err)
		}
		if names := filepath.Base(made[0]) + " " + filepath.Base(made[1]); names !=
			"plumbline_1.2.3~rc.1_amd64.deb plumbline-1.2.3~rc.1-1.x86_64.rpm" {
			t.Errorf("the packages are called %s", names)
		}
		var sums []string
		for _, path := range made {
			sum, _, err := checksum.File(path)
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, sum)
		}
		if before != nil && strings.Join(before, " ") != strings.Join(sums, " ") {
			t.Errorf("made twice, the packages differ: %q, %q", before, sums)
		}
		before = sums
		checkDeb(t, made[0])
	}
}

func checkDeb(t *testing.T, path string) {
	t.Helper()
	members := map[string]string{}
	for r := ar.NewReader(strings.NewReader(readFile(t, path))); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		text, err2 := io.ReadAll(r)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		members[strings.TrimSuffix(h.Name, "/")] = string(text)
	}
	control, err := gzip.NewReader(strings.NewReader(members["control.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	said := untar(t, control)["./control"]
	for _, want := range []string{"Package: plumbline\n", "Version: 1.2.3~rc.1\n", "Depends: libc6 (>= 2.", "libstdc++6"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	data, err := zstd.NewReader(strings.NewReader(members["data.tar.zst"]))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, data)
	for _, name := range []string{"usr/bin/harness", "usr/libexec/plumbline/plugins/plumbline-plugin-null",
		"usr/share/plumbline/README.md", "usr/share/man/man1/harness.1", "usr/share/zsh/vendor-completions/_harness",
		"usr/share/doc/plumbline/copyright"} {
		if files["./"+name] == "" {
			t.Errorf("no %s in the package", name)
		}
	}
}

// untar reads all regular files.
func untar(t *testing.T, from io.Reader) map[string]string {
	t.Helper()
	files := map[string]string{}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := io.Copy(&text, r); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			files[h.Name] = text.String()
		}
		if h.Uid != 0 || h.Mode&0o022 != 0 {
			t.Errorf("%s is of %d %q with mode %o, want root's alone", h.Name, h.Uid, h.Uname, h.Mode)
		}
	}
}

// TestVersionsOfSymbols checks that the newest version of each family is kept.
func TestVersionsOfSymbols(t *testing.T) {
	v := symbolVersions{}
	for _, s := range []string{"GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.17", "GLIBC_PRIVATE", "GLIBCXX_3.4.29", "", "VERS"} {
		v.add(s)
	}
	if v.newest("GLIBC") != "2.34" || v.newest("GLIBCXX") != "3.4.29" || len(v) != 2 {
		t.Errorf("got %v", v)
	}
}
