//go:build unix

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := Open(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestOneHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := Try(first); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a second lock: %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Try(second); err != nil {
		t.Errorf("after the first was closed: %v", err)
	}
}

func TestOpenFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "lock")
	if err := os.Symlink(filepath.Join(dir, "other"), link); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(link, 0o600); err == nil {
		_ = f.Close()
		t.Error("a link is opened")
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("the file behind the link is made")
	}
}
