package golden

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestUnpack unpacks an archive many times at once. All calls must see the same complete folder, without remains next
// to it.
func TestUnpack(t *testing.T) {
	archive, store := filepath.Join(t.TempDir(), "cases.tar.gz"), filepath.Join(t.TempDir(), "bin", "golden")
	put(t, archive, packed(t, "a/b.json", "1", "c.txt", "2"))
	dirs := make([]string, 8)
	var all sync.WaitGroup
	for i := range dirs {
		all.Go(func() {
			dir, err := unpackArchive(archive, store)
			if err != nil {
				t.Error(err)
				return
			}
			dirs[i] = dir
			for name, want := range map[string]string{"a/b.json": "1", "c.txt": "2"} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != want {
					t.Errorf("%s: %q, %v", name, text, err)
				}
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(store)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d folders in the store, want one: %v, %v", len(entries), entries, err)
	}
	for _, dir := range dirs {
		if dir != dirs[0] {
			t.Errorf("unpacked in %s and in %s", dirs[0], dir)
		}
	}
	put(t, archive, packed(t, "a/b.json", "other"))
	if dir, err := unpackArchive(archive, store); err != nil || dir == dirs[0] {
		t.Errorf("another archive: %s, %v", dir, err)
	}
}

// TestUnpackRefuses requires an error, and no folder in the store, for damaged archives and for files outside of their
// folder.
func TestUnpackRefuses(t *testing.T) {
	whole := packed(t, "a", strings.Repeat("some text", 100))
	changed := bytes.Clone(whole)
	changed[len(changed)-6] ^= 1 // its checksum
	for name, data := range map[string][]byte{
		"empty": nil, "no archive": []byte("text"), "cut short": whole[:len(whole)/2], "checksum": changed,
		"out of the folder": packed(t, "../a", "1"), "from the root": packed(t, "/a", "1"),
		"twice": packed(t, "a", "1", "a", "2"), "git-lfs": []byte("version https://git-lfs.github.com/spec/v1\n"),
	} {
		archive, store := filepath.Join(t.TempDir(), "cases.tar.gz"), filepath.Join(t.TempDir(), "golden")
		put(t, archive, data)
		if dir, err := unpackArchive(archive, store); err == nil || !strings.Contains(err.Error(), archive) &&
			!strings.Contains(err.Error(), store) {
			t.Errorf("%s: %s, %v", name, dir, err)
		}
		if entries, err := os.ReadDir(store); err != nil || len(entries) > 0 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
	if _, err := unpackArchive(filepath.Join(t.TempDir(), "none"), t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no archive: %v", err)
	}
}

// TestFind searches the named folder, then the folder next to the workspace, then the packed cases.
func TestFind(t *testing.T) {
	top := t.TempDir()
	below, beside := filepath.Join(top, "clone", "module", "package"), filepath.Join(top, "shared", "golden")
	for _, dir := range []string{below, beside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(below)
	t.Setenv("PLUMBLINE_GOLDEN", "")
	if dir, err := findCases(); !errors.Is(err, errAlone) {
		t.Errorf("outside of a workspace: %s, %v", dir, err)
	}
	put(t, filepath.Join(top, "clone", "go.work"), nil)
	if dir, err := findCases(); err != nil || dir != beside {
		t.Errorf("beside the workspace: %s, %v, want %s", dir, err, beside)
	}
	named := t.TempDir()
	t.Setenv("PLUMBLINE_GOLDEN", named)
	if dir, err := findCases(); err != nil || dir != named {
		t.Errorf("named: %s, %v, want %s", dir, err, named)
	}
	t.Setenv("PLUMBLINE_GOLDEN", filepath.Join(named, "none"))
	if dir, err := findCases(); err == nil || errors.Is(err, errAlone) {
		t.Errorf("a named folder that is not there: %s, %v", dir, err)
	}
}

// TestFindPacked unpacks this workspace's own cases, which have the lowest priority.
func TestFindPacked(t *testing.T) {
	dir, err := unpackedCases()
	if errors.Is(err, errAlone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "scorers", "imagenet")); err != nil {
		t.Error(err)
	}
}

// packed returns an archive of files: their names, each before its text.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for ; len(files) > 0; files = files[2:] {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: files[0], Size: int64(len(files[1])), Mode: 0o644})
		_, err2 := io.WriteString(w, files[1])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
