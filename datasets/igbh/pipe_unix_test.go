//go:build unix

package igbh

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipesAreRefused puts a pipe that nobody writes to in the place of each file: it is refused at once, and the kept
// graph is made again.
func TestPipesAreRefused(t *testing.T) {
	dir, folder := written(t, "tiny", newSmall())
	s, err := Open(t.Context(), dir, GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var files []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "train_idx.pt" { // which is not read
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if err := os.Rename(file, file+".aside"); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		err := openSoon(t, dir)
		if kept := filepath.Base(file) == cacheName; kept && err != nil {
			t.Errorf("the kept graph is not made again: %v", err)
		} else if !kept && (err == nil || !strings.Contains(err.Error(), "not a regular file")) {
			t.Errorf("%s: %v", strings.TrimPrefix(file, folder), err)
		}
		if err := os.Rename(file+".aside", file); err != nil {
			t.Fatal(err)
		}
	}
}

// openSoon opens and closes a set, and fails the test where that waits.
func openSoon(t *testing.T, dir string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	opened := make(chan error, 1)
	go func() {
		s, err := Open(ctx, dir, GraphOptions{})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		return err
	case <-ctx.Done():
		t.Fatal("it waits for a writer")
		return nil
	}
}
