package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is one entry of an archive that a test makes. kind is a tar type; 0 is a file.
type entry struct {
	name, data, target string
	kind               byte
	mode               int64
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.target, Size: int64(len(e.data)), Mode: e.mode}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	modes := map[byte]fs.FileMode{tar.TypeSymlink: fs.ModeSymlink, tar.TypeDir: fs.ModeDir, tar.TypeFifo: fs.ModeNamedPipe,
		tar.TypeChar: fs.ModeDevice | fs.ModeCharDevice}
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(fs.FileMode(e.mode) | modes[e.kind])
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.data+e.target); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpackTest unpacks into a folder beside which nothing may appear.
func unpackTest(t testing.TB, archive []byte, l Limits) (dir string, err error) {
	t.Helper()
	outer := t.TempDir()
	path := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(path, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(outer, "a", "b")
	err = unpackArchive(t.Context(), path, dir, l, func(int64) {})
	checkContained(t, outer, dir)
	return dir, err
}

// checkContained fails if anything but dir is in outer, or if a link in dir leads out of it.
func checkContained(t testing.TB, outer, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(outer, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(path+"/", dir+"/") && !strings.HasPrefix(dir+"/", path+"/") {
			t.Errorf("outside of the folder: %s", path)
		}
		if d.Type() == fs.ModeSymlink {
			if end, err := filepath.EvalSymlinks(path); err == nil && !strings.HasPrefix(end+"/", dir+"/") {
				t.Errorf("the link %s leads to %s", path, end)
			}
		}
		if kind := d.Type(); kind&^(fs.ModeDir|fs.ModeSymlink) != 0 {
			t.Errorf("%s is a %v", path, kind)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listing maps each path in dir to its contents; folders end in a slash, links are arrows.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch d.Type() {
		case fs.ModeDir:
			list[name+"/"] = ""
		case fs.ModeSymlink:
			target, err := os.Readlink(path)
			list[name] = "-> " + target
			return err
		default:
			data, err := os.ReadFile(path)
			list[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
