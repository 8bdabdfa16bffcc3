package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
)

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3rc1", "v0.1.0-beta": "0.1.0b0", "devel-51e6025a": "0.dev0+51e6025a",
		"v1.2": "", "1.2.3": "", "v1.2.3-nightly": "",
	} {
		if got, err := pythonVersion(version); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %q, %v; want %q", version, got, err, want)
		}
	}
}

func TestManylinux(t *testing.T) {
	for _, c := range []struct {
		needs      systemNeeds
		arch, want string
	}{
		{systemNeeds{[]string{"libc.so.6", "ld-linux-x86-64.so.2"}, symbolVersions{"GLIBC": {2, 34}}}, "amd64",
			"manylinux_2_34_x86_64"},
		{systemNeeds{[]string{"libm.so.6"}, symbolVersions{"GLIBC": {2, 5}}}, "arm64", "manylinux_2_17_aarch64"},
		{systemNeeds{[]string{"libstdc++.so.6"}, symbolVersions{"GLIBC": {2, 17}, "GLIBCXX": {3, 4, 25}}}, "amd64",
			"manylinux_2_31_x86_64"},
		{systemNeeds{nil, symbolVersions{"GLIBC": {2, 17}, "GLIBCXX": {3, 4, 99}}}, "amd64", "newer than any tag"},
		{systemNeeds{[]string{"libssl.so.3"}, symbolVersions{"GLIBC": {2, 17}}}, "amd64", "libssl.so.3 is needed"},
		{systemNeeds{nil, symbolVersions{}}, "amd64", "want binaries"},
		{systemNeeds{nil, symbolVersions{"GLIBC": {2, 17}}}, "riscv64", "want binaries"},
	} {
		if got, err := c.needs.manylinux(c.arch); got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v on %s: %q, %v; want %q", c.needs, c.arch, got, err, c.want)
		}
	}
}

// TestWheel writes a wheel twice and compares it with its RECORD.
func TestWheel(t *testing.T) {
	tree := smallTree(t)
	all, err := prefixed(tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", ".."))
	var sums []string
	for range 2 {
		w := wheel{name: pythonPackage, version: "1.2.3", tag: "py3-none-any", summary: "it", licence: "MIT"}
		if err := w.addPackage(filepath.Join("python", pythonPackage)); err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			w.place(f)
		}
		if err := w.addInfo(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), w.file())
		if err := w.write(path, time.Unix(1_700_000_000, 0)); err != nil {
			t.Fatal(err)
		}
		sum, _, err := checksum.File(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
		checkWheel(t, path)
	}
	if sums[0] != sums[1] {
		t.Errorf("two wheels of the same differ: %q", sums)
	}
}

// checkWheel checks that RECORD is the last file and lists every other file with its checksum and size, and that the
// files for installers exist.
func checkWheel(t *testing.T, file string) {
	t.Helper()
	if !regexp.MustCompile(`^[a-z_]+-[0-9a-z.+]+-py3-none-\w+\.whl$`).MatchString(filepath.Base(file)) {
		t.Errorf("%s is no name of a wheel", file)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var record, want strings.Builder
	files := map[string]string{}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
		if i == len(z.File)-1 {
			record.Write(text)
			fmt.Fprintf(&want, "%s,,\n", f.Name)
			continue
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&want, "%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
		program := strings.Contains(f.Name, ".data/scripts/") || strings.Contains(f.Name, "/plumbline-plugin-")
		if executable := f.Mode()&0o100 != 0; executable != program && path.Ext(f.Name) != ".so" {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	if record.String() != want.String() {
		t.Errorf("RECORD is\n%s\nwant\n%s", record.String(), want.String())
	}
	name, version, _ := strings.Cut(filepath.Base(file), "-")
	version, _, _ = strings.Cut(version, "-")
	metadata := files[name+"-"+version+".dist-info/METADATA"]
	for _, line := range []string{"Metadata-Version: 2.4", "Name: " + strings.ReplaceAll(name, "_", "-"),
		"Version: " + version, "License-File: LICENSE"} {
		if !strings.Contains(metadata, line+"\n") {
			t.Errorf("no %q in\n%.600s", line, metadata)
		}
	}
}
