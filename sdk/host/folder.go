package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// privateFolder is the private folder of one plugin process: its socket and its temporary files lie in it. While it is
// open its owner holds a lock, which the kernel releases however the owner ends: a folder without a lock is nobody's.
type privateFolder struct {
	path string
	lock *os.File
}

// folders are those of this process that are not removed yet.
var folders struct {
	sync.Mutex
	open map[*privateFolder]bool
}

// RemoveFoldersAndExit removes the private folders of all plugins of this process, and calls exit, which ends the
// process without closing them. The plugins notice this and end too. No plugin receives a folder meanwhile. If the
// creation of a folder hangs on a disk, RemoveFoldersAndExit does not wait, and folders remain.
func RemoveFoldersAndExit(exit func()) {
	const tries, pause = 100, 10 * time.Millisecond
	for range tries {
		if folders.TryLock() {
			defer folders.Unlock()
			for f := range folders.open {
				_ = f.moveAndRemove()
			}
			clear(folders.open)
			break
		}
		time.Sleep(pause)
	}
	exit()
}

// newFolder makes a folder of mode 0700 in parent. First it removes those that dead harnesses left there.
func newFolder(parent string) (*privateFolder, error) {
	removeStaleFolders(parent)
	folders.Lock() // who ends the process sees the folder or is there before it
	defer folders.Unlock()
	// another harness may take a folder for a dead one's before it is locked: many of them do on many cores
	const tries = 1000
	for range tries {
		path, err := os.MkdirTemp(parent, wire.FolderPrefix) // 0700
		if err != nil {
			return nil, err
		}
		if lock := lockFolder(path); lock != nil {
			f := &privateFolder{path, lock}
			if folders.open == nil {
				folders.open = map[*privateFolder]bool{}
			}
			folders.open[f] = true
			return f, nil
		}
		_ = os.RemoveAll(path)
	}
	return nil, fmt.Errorf("folders in %s cannot be locked", parent)
}

// lockFolder locks a folder; nil where somebody else holds it, or where it is gone or no folder.
func lockFolder(path string) *os.File {
	dir, err := openFolder(path)
	if err != nil {
		return nil
	}
	if tryLock(dir) == nil && isStill(dir, path) {
		return dir
	}
	_ = dir.Close()
	return nil
}

// isStill reports whether an open folder is the one that path names.
func isStill(dir *os.File, path string) bool {
	open, err1 := dir.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// removeStaleFolders removes the folders in parent whose owners are dead. What cannot be removed, other accounts'
// folders above all, stays.
func removeStaleFolders(parent string) {
	if !lockShowsOwner {
		return
	}
	paths, _ := filepath.Glob(filepath.Join(parent, wire.FolderPrefix+"*")) // the pattern is good
	for _, path := range paths {
		if lock := lockFolder(path); lock != nil {
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}

// close removes the folder with all that is in it. A nil folder is none.
func (f *privateFolder) close() error {
	if f == nil {
		return nil
	}
	folders.Lock()
	delete(folders.open, f)
	folders.Unlock()
	return f.moveAndRemove()
}

// moveAndRemove moves the folder away before it removes it: a plugin that is alive cannot begin to put a file there any
// more, and what it had begun to make is soon made. Under its new name, too, it is nobody's once the process has ended.
func (f *privateFolder) moveAndRemove() error {
	path := f.path + ".gone"
	if os.Rename(f.path, path) != nil {
		path = f.path
	}
	const tries = 1000
	err := os.RemoveAll(path)
	for n := 1; n < tries && errors.Is(err, syscall.ENOTEMPTY); n++ {
		err = os.RemoveAll(path)
	}
	if closed := f.lock.Close(); closed != nil && !errors.Is(closed, os.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
