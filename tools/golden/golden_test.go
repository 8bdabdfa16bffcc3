package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// maxSize is the maximum size of the packed file in bytes.
const maxSize = 25_000_000

// part is a row of README.md's table of parts.
var part = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// TestPacked checks that the files of the packed file are in order, without times, owners and paths of a machine, and
// that README.md names the author of each file and has no row without files.
func TestPacked(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{}
	for _, row := range part.FindAllStringSubmatch(string(text), -1) {
		parts[row[1]] = 0
	}
	packed, err := os.ReadFile("cases.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > maxSize {
		t.Errorf("cases.tar.gz has %d bytes, want at most %d", len(packed), maxSize)
	}
	var names []string
	for _, f := range files(t, packed) {
		names = append(names, f.Name)
		if f.Mode != 0o644 || f.Uid != 0 || f.Uname != "" || f.Gname != "" || f.ModTime.Unix() != 0 {
			t.Errorf("%s is not as pack writes files: %+v", f.Name, f.Header)
		}
		if err := findPaths(f.Name, f.data); err != nil {
			t.Error(err)
		}
		if !count(parts, f.Name) {
			t.Errorf("README.md has no row for %s: say who made it", f.Name)
		}
	}
	if !slices.IsSorted(names) {
		t.Error("the files are not in the order of their names")
	}
	for row, n := range parts {
		if n == 0 {
			t.Errorf("README.md has a row for %s, of which nothing is packed", row)
		}
	}
}

// count counts a file for the rows of its folders or its own row. It returns false if there is none.
func count(parts map[string]int, name string) (found bool) {
	for {
		if _, ok := parts[name]; ok {
			parts[name]++
			found = true
		}
		cut := strings.LastIndexByte(name, '/')
		if cut < 0 {
			return found
		}
		name = name[:cut]
	}
}

type file struct {
	*tar.Header
	data []byte
}

func files(t *testing.T, packed []byte) (all []file) {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file{header, data})
	}
}

// TestPack packs a folder twice and checks that the bytes are equal, all files are in order, and omitted files are
// missing.
func TestPack(t *testing.T) {
	cases := fstest.MapFS{}
	for _, name := range []string{"b/z.json", "b/a.json", "a.txt", "b.txt", "README.md", "b/README-more.md", "b/notes.md",
		"found5/server.txt", "found5/deep/x.json", "found/x.json", "b/measure.py"} {
		cases[name] = &fstest.MapFile{Data: []byte("text of " + name)}
	}
	names, err := listFiles(cases)
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := errors.Join(pack(&first, cases, names), pack(&second, cases, names)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same folder gave other bytes")
	}
	var packed []string
	for _, f := range files(t, first.Bytes()) {
		packed = append(packed, f.Name)
		if want := "text of " + f.Name; string(f.data) != want {
			t.Errorf("%s: %q, want %q", f.Name, f.data, want)
		}
	}
	want := []string{"a.txt", "b.txt", "b/a.json", "b/notes.md", "b/z.json", "found/x.json"}
	if !slices.Equal(packed, want) {
		t.Errorf("packed %q, want %q", packed, want)
	}
}

// TestPackRefuses checks the errors for paths of a machine at any place, for links, and for an empty folder.
func TestPackRefuses(t *testing.T) {
	const text = "made in /home/somebody/cases"
	for name, data := range map[string][]byte{
		"in a text": []byte(text), "at its end": []byte("/tmp/"), "in gzip": gzipped(t, []byte(text)),
		"in zip": zipped(t, text), "in tar": tarred(t, "a", text), "in tar, gzip": gzipped(t, tarred(t, "a", text)),
		"in a name of tar": tarred(t, "x/work/a", ""), "in zip, gzip": gzipped(t, zipped(t, text)),
	} {
		err := pack(io.Discard, fstest.MapFS{"case": {Data: data}}, []string{"case"})
		if err == nil || !strings.HasPrefix(err.Error(), "case") || !strings.Contains(err.Error(), "the path of a machine") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, data := range []string{"", "see /usr/bin/env", "a/b/work", "24 km/home", "\x1f\x8b damaged",
		"PK\x03\x04 damaged"} {
		if err := pack(io.Discard, fstest.MapFS{"case": {Data: []byte(data)}}, []string{"case"}); err != nil {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := listFiles(fstest.MapFS{"README.md": {}}); err == nil {
		t.Error("a folder without cases was taken")
	}
	dir := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := listFiles(os.DirFS(dir)); err == nil || !strings.HasPrefix(err.Error(), "link is neither") {
		t.Errorf("a link: %v", err)
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: 0o644})
	_, err2 := io.WriteString(w, text)
	if err := errors.Join(err, err2, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSameFinder checks that the file that finds the cases is equal in LoadGen's package and in that of all others.
func TestSameFinder(t *testing.T) {
	own, err := os.ReadFile(filepath.Join("..", "..", "loadgen", "internal", "testkit", "golden", "find.go"))
	others, err2 := os.ReadFile(filepath.Join("..", "..", "internal", "testkit", "golden", "find.go"))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(own, others) {
		t.Error("find.go differs between loadgen/internal/testkit/golden and internal/testkit/golden: copy the right one")
	}
}
