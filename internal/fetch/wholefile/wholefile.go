// Package wholefile writes files and folders completely or not at all. If the target is a symbolic link, it does not
// follow the link.
//
// In scope: new files under unpredictable names, renaming, syncing. Out of scope: the contents, locks.
package wholefile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
)

// tempSuffix is the extension of temporary files before they get their final names.
const tempSuffix = ".tmp"

// Write writes text to the file at path. It writes a temporary file in the same folder, which must exist, syncs it to
// the disk and renames it. Readers see the old text or the new one, even after a crash. An existing file or symbolic
// link at path is replaced, not written to. The folder may be a symbolic link. perm is the mode of the new file, before
// the process's umask.
//
// If the process is killed, the temporary file stays, and ListTemp finds it.
func Write(path string, text []byte, perm fs.FileMode) error {
	return WriteFrom(path, bytes.NewReader(text), perm)
}

// errIsFolder is the error for a path that is an existing folder.
var errIsFolder = errors.New("is a folder, want the name of a file")

// WriteFrom is Write with the contents of r. If reading fails, the file at path is unchanged.
func WriteFrom(path string, r io.Reader, perm fs.FileMode) error {
	return WriteWith(path, perm, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// WriteWith is Write with the bytes that the function write produces. It should write large pieces, because they are
// not buffered. If it fails, the file at path is unchanged.
func WriteWith(path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(path+"."+rand.Text()+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return withPath(err, path)
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // ListTemp finds a file that remains
		if info, missing := os.Lstat(path); missing == nil && info.IsDir() {
			err = &fs.PathError{Op: "writing", Path: path, Err: errIsFolder}
		}
		return withPath(err, path)
	}
	return SyncNames(filepath.Dir(path))
}

// withPath replaces the temporary file's path in an error with the final path, because users do not know the temporary
// name. It returns other errors unchanged.
func withPath(err error, path string) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: "writing", Path: path, Err: link.Err}
	}
	var of *fs.PathError
	if errors.As(err, &of) && tempName.MatchString(of.Path) {
		return &fs.PathError{Op: "writing", Path: path, Err: of.Err}
	}
	return err
}

// Create creates an empty file for text that is written over time. An existing file or symbolic link is removed first.
// perm is as in Write.
func Create(path string, perm fs.FileMode) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
}

// SyncNames syncs the names in a folder to the disk, on systems that support it.
func SyncNames(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) { // not supported by the file system
		err = nil
	}
	return errors.Join(err, f.Close())
}

// ListTemp lists the temporary files and folders in dir. Their writers were killed or are still running.
func ListTemp(dir string) []string {
	entries, _ := os.ReadDir(dir) // a missing folder has no entries
	var left []string
	for _, e := range entries {
		if tempName.MatchString(e.Name()) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left
}

// RemoveTemp removes the temporary files in dir. Call it only if no other process writes in the folder.
func RemoveTemp(dir string) error {
	var errs []error
	for _, left := range ListTemp(dir) {
		errs = append(errs, os.Remove(left))
	}
	return errors.Join(errs...)
}

// tempName matches the temporary names of Write.
var tempName = regexp.MustCompile(`.\.[A-Z2-7]{26}\` + tempSuffix + `$`)
