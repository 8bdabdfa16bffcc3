package wholefile

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("%s holds %q, %v; want %q", path, got, err, text)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "", "three"} {
		if err := Write(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, path, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestWriteBy: a file comes whole where its text comes in pieces, and stays what it was where they end with a fault.
func TestWriteBy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	pieces := func(end error) func(io.Writer) error {
		return func(w io.Writer) error {
			for range 3 {
				if _, err := io.WriteString(w, "piece "); err != nil {
					return err
				}
				if got := names(t, dir); len(got) == 0 {
					t.Error("nothing is written before the end")
				}
			}
			return end
		}
	}
	if err := WriteWith(path, 0o600, pieces(nil)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := WriteWith(path, 0o600, pieces(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	want(t, path, "piece piece piece ")
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("left behind: %v", got)
	}
}

// Links are replaced: what they point to keeps its text, and is not made where it is missing. A folder may be a link.
func TestWriteFollowsNoLinkOfTheName(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	target, missing := filepath.Join(elsewhere, "target"), filepath.Join(elsewhere, "missing")
	write(t, target, "precious")
	folder := filepath.Join(dir, "folder")
	for link, to := range map[string]string{
		filepath.Join(dir, "a"): target, filepath.Join(dir, "b"): missing, folder: elsewhere,
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range []string{"a", "b", "folder/c"} {
		if err := Write(filepath.Join(dir, name), []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
		want(t, filepath.Join(dir, name), "new")
	}
	want(t, target, "precious")
	if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link's missing target was made: %v", err)
	}
	if info, err := os.Lstat(folder); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the folder is no link any more: %v", err)
	}
}

// A file that grows is a new one, too.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "log")
	write(t, target, "precious")
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
	for _, text := range []string{"first", "2nd"} {
		f, err := Create(path, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		want(t, path, text)
	}
	want(t, target, "precious")
	if _, err := Create(filepath.Join(dir, "none", "log"), 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Create(t.TempDir(), 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder was replaced: %v", err)
	}
}

// What cannot take its name, or has no folder, leaves nothing.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "taken", "by"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "taken"), []byte("x"), 0o644); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Write(filepath.Join(dir, "none", "file"), []byte("x"), 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"taken"}) {
		t.Errorf("left behind: %v", got)
	}
}

func TestLeft(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("A7", 13)
	for _, name := range []string{"a.json", "a.json.tmp", "a.json." + name + ".tmp", name + ".tmp", "." + name + ".tmp",
		"a.json." + name + ".txt"} {
		write(t, filepath.Join(dir, name), "")
	}
	if got := ListTemp(dir); len(got) != 1 || filepath.Base(got[0]) != "a.json."+name+".tmp" {
		t.Errorf("%v", got)
	}
	if got := ListTemp(filepath.Join(dir, "none")); got != nil {
		t.Errorf("%v", got)
	}
	for range 100 {
		if name := "a." + rand.Text() + tempSuffix; !tempName.MatchString(name) {
			t.Errorf("%s is not known", name)
		}
	}
}

// TestErrorsNameThePath: what cannot be written is told by the name that was asked for.
func TestErrorsNameThePath(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "no", "x.html"), full, empty, filepath.Join(file, "x.html"),
		filepath.Join(dir, strings.Repeat("x", 300))} {
		err := Write(path, []byte("text"), 0o644)
		if err == nil || strings.Contains(err.Error(), tempSuffix) || !strings.Contains(err.Error(), path) ||
			strings.Contains(err.Error(), "is a folder, want the name of a file") != (path == full || path == empty) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
