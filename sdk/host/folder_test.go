package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

func TestFoldersOfDeadHarnessesAreSwept(t *testing.T) {
	if !lockShowsOwner {
		t.Skip("no locks show whether an owner lives")
	}
	parent := t.TempDir()
	alive, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, wire.FolderPrefix+"123")
	if err := os.MkdirAll(filepath.Join(dead, "plugin-dir", "deeper"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(parent, "plumbline-other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	second, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{alive.path: true, second.path: true, other: true, dead: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", path, err, want)
		}
	}
	for _, f := range []*privateFolder{alive, second, second, nil} {
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("%v, %v are left, want one folder that is not ours", left, err)
	}
}

// Harnesses that start at the same time do not remove each other's folders.
func TestFoldersAtTheSameTime(t *testing.T) {
	parent := t.TempDir()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				f, err := newFolder(parent)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stat(f.path); err != nil {
					t.Error(err)
				}
				if err := f.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestFoldersArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on this system")
	}
	f, err := newFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	info, err := os.Stat(f.path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v, want mode 0700", info.Mode(), err)
	}
}

// A harness that exits at once leaves no folder behind, even if a plugin creates its socket at that moment. No further
// folder is created.
func TestAbandon(t *testing.T) {
	parent := t.TempDir()
	f, err := newFolder(parent)
	if err != nil {
		t.Fatal(err)
	}
	var begun, ended sync.WaitGroup
	for who := range 8 {
		begun.Add(1)
		ended.Go(func() {
			for n := 0; os.WriteFile(filepath.Join(f.path, fmt.Sprint(who, n)), nil, 0o600) == nil; n++ {
				if n == 0 {
					begun.Done()
				}
			}
		})
	}
	begun.Wait()
	RemoveFoldersAndExit(func() {
		if folders.TryLock() {
			t.Error("folders can be made while the process ends")
			folders.Unlock()
		}
	})
	ended.Wait()
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%v, %v are left", left, err)
	}
	if err := f.close(); err != nil {
		t.Errorf("removed again: %v", err)
	}
}

// TestAbandonWaitsForNoDisk checks that the process ends although the creation of a folder hangs.
func TestAbandonWaitsForNoDisk(t *testing.T) {
	folders.Lock()
	defer folders.Unlock()
	ended := false
	if RemoveFoldersAndExit(func() { ended = true }); !ended {
		t.Error("the process goes on")
	}
}
