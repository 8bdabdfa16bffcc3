//go:build unix

package host

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Any user may create other files with the names of folders in the temporary directory.
func TestNoLaunchWaitsForWhatIsNoFolder(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	pipe, link := filepath.Join(parent, wire.FolderPrefix+"pipe"), filepath.Join(parent,
		wire.FolderPrefix+"link")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	go func() {
		f, err := newFolder(parent)
		if err == nil {
			err = f.moveAndRemove()
		}
		made <- err
	}()
	select {
	case err := <-made:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Minute):
		t.Error("it waits for somebody who writes into the pipe")
	}
	for _, path := range []string{pipe, link, elsewhere} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%v, want what is not a folder of a harness left alone", err)
		}
	}
}
