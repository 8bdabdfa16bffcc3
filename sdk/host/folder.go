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

// privateFolder is the private folder of one plugin process. It contains its socket and its temporary files. While it
// is in use, its owner holds a lock, which the kernel releases at the owner's end. A folder without a lock has no
// owner.
type privateFolder struct {
	path string
	lock *os.File
}

// folders contains the folders of this process that are not removed yet.
var folders struct {
	sync.Mutex
	open map[*privateFolder]bool
}

// RemoveFoldersAndExit removes the private folders of all plugins of this process, and calls exit, which ends the
// process without closing them. The plugins notice this and end too. No plugin can get a new folder in the meantime. If
// the creation of a folder hangs on a disk, RemoveFoldersAndExit does not wait, and folders remain.
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

// newFolder makes a folder of mode 0700 in parent. It first removes the folders of dead harnesses there.
func newFolder(parent string) (*privateFolder, error) {
	removeStaleFolders(parent)
	folders.Lock() // RemoveFoldersAndExit either sees the folder or runs before its creation
	defer folders.Unlock()
	// another harness may consider the folder abandoned before it is locked, which happens with many harnesses on many
	// cores
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

// lockFolder locks a folder. It returns nil if another process holds the lock, or if the path is not a folder any more.
func lockFolder(path string) *os.File {
	dir, err := openFolder(path)
	if err != nil {
		return nil
	}
	if tryLock(dir) == nil && isSameFile(dir, path) {
		return dir
	}
	_ = dir.Close()
	return nil
}

// isSameFile reports whether path still refers to the open folder.
func isSameFile(dir *os.File, path string) bool {
	open, err1 := dir.Stat()
	named, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, named)
}

// removeStaleFolders removes the folders in parent whose owners are dead. It leaves folders that it cannot remove, such
// as those of other accounts.
func removeStaleFolders(parent string) {
	if !lockShowsOwner {
		return
	}
	paths, _ := filepath.Glob(filepath.Join(parent, wire.FolderPrefix+"*")) // the pattern is valid
	for _, path := range paths {
		if lock := lockFolder(path); lock != nil {
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}

// close removes the folder with its contents. It does nothing for a nil folder.
func (f *privateFolder) close() error {
	if f == nil {
		return nil
	}
	folders.Lock()
	delete(folders.open, f)
	folders.Unlock()
	return f.moveAndRemove()
}

// moveAndRemove renames the folder before it removes it, so a running plugin cannot create new files in it. Files that
// the plugin is creating are complete after a short time. If this process ends, the renamed folder has no owner.
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
