//go:build unix

package filelock

import (
	"context"
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
	if err := TryLock(first); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(second); !errors.Is(err, ErrHeld) {
		t.Errorf("a second lock: %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := TryLock(second); err != nil {
		t.Errorf("after the first was closed: %v", err)
	}
}

// TestHoldWaits holds a lock twice: the second holder waits for the first, or until its context ends.
func TestHoldWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "lock")
	release, err := HoldLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := HoldLock(ctx, path); !errors.Is(err, ErrHeld) || !errors.Is(err, stop) {
		t.Errorf("a lock that is held: %v, want ErrHeld and the context's cause", err)
	}
	held := make(chan error)
	go func() {
		second, err := HoldLock(t.Context(), path)
		if err == nil {
			second()
		}
		held <- err
	}()
	release()
	if err := <-held; err != nil {
		t.Errorf("after the first was released: %v", err)
	}
}

// TestWaitEndsAtOtherErrors does not ask again where asking makes no sense.
func TestWaitEndsAtOtherErrors(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "lock"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := WaitLock(f, func() error { t.Error("it waits"); return nil }); err == nil {
		t.Error("a closed file is locked")
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
