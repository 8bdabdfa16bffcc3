package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "above", "made")
	err := WriteFolder(path, func(at string) error {
		write(t, filepath.Join(at, "file"), "one")
		if err := os.Mkdir(filepath.Join(at, "below"), 0o777); err != nil {
			return err
		}
		write(t, filepath.Join(at, "below", "file"), "two")
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the folder is there before it is whole: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, filepath.Join(path, "file"), "one")
	want(t, filepath.Join(path, "below", "file"), "two")
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"made"}) {
		t.Errorf("left behind: %v", got)
	}
}

func TestFolderThatFails(t *testing.T) {
	dir, fault := t.TempDir(), errors.New("no")
	err := WriteFolder(filepath.Join(dir, "made"), func(at string) error {
		write(t, filepath.Join(at, "file"), "one")
		return fault
	})
	if !errors.Is(err, fault) || len(names(t, dir)) > 0 {
		t.Errorf("%v, and there is %v", err, names(t, dir))
	}
}

// TestFolderReplacesNothing: whatever has the name stays, also what gets it meanwhile.
func TestFolderReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "made")
	write(t, path, "precious")
	if err := WriteFolder(path, func(string) error { t.Error("filled"); return nil }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want that it exists", err)
	}
	late := filepath.Join(dir, "late")
	if err := WriteFolder(late, func(string) error { write(t, late, "precious"); return nil }); err == nil {
		t.Error("a file that came meanwhile is replaced")
	}
	want(t, path, "precious")
	want(t, late, "precious")
	if got := names(t, dir); !slices.Equal(got, []string{"late", "made"}) {
		t.Errorf("left behind: %v", got)
	}
}

// TestFolderLeft: the folder of a writer that was killed is found.
func TestFolderLeft(t *testing.T) {
	dir := t.TempDir()
	err := WriteFolder(filepath.Join(dir, "made"), func(at string) error {
		if got := ListTemp(dir); !slices.Equal(got, []string{at}) {
			t.Errorf("left: %v, want %s", got, at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
