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

// suffix is the end of the names under which files are written before they get their own.
const suffix = ".tmp"

// Write puts text into the file at path. It writes a new file in the same folder, which must exist, brings it to
// the disk and renames it: a reader, or a crash, sees the old text or the new one. Whatever had the name before
// is replaced and not written to, a symbolic link too; the folder may be one. perm is the new file's, less what
// the process's umask takes.
//
// Who kills the process in that moment leaves a file that Left finds.
func Write(path string, text []byte, perm fs.FileMode) error {
	return WriteFrom(path, bytes.NewReader(text), perm)
}

// errFolder is what keeps a file from getting its name.
var errFolder = errors.New("is a folder, want the name of a file")

// WriteFrom is Write of what r holds. Where r fails the file at path stays as it is.
func WriteFrom(path string, r io.Reader, perm fs.FileMode) error {
	return WriteBy(path, perm, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// WriteBy is Write of what write writes, piece by piece, which should be large ones. Where it fails the file at path
// stays as it is.
func WriteBy(path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(path+"."+rand.Text()+suffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
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
		_ = os.Remove(f.Name()) // Sweep finds what stays
		if info, missing := os.Lstat(path); missing == nil && info.IsDir() {
			err = &fs.PathError{Op: "writing", Path: path, Err: errFolder}
		}
		return withPath(err, path)
	}
	return SyncNames(filepath.Dir(path))
}

// withPath is an error of the system about a new file as one about the path that it was to get: its own name is nothing
// to a reader. Other errors stay as they are.
func withPath(err error, path string) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: "writing", Path: path, Err: link.Err}
	}
	var of *fs.PathError
	if errors.As(err, &of) && random.MatchString(of.Path) {
		return &fs.PathError{Op: "writing", Path: path, Err: of.Err}
	}
	return err
}

// Create makes an empty file for text that comes bit by bit. What had the name before is removed and not written to, a
// symbolic link too. perm is as in Write.
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

// SyncNames brings the names of a folder to the disk, where the system has a way to.
func SyncNames(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) { // a file system without
		err = nil
	}
	return errors.Join(err, f.Close())
}

// ListTemp lists what is in a folder of writers that were killed, or are at it in this moment.
func ListTemp(dir string) []string {
	entries, _ := os.ReadDir(dir) // one that is not there has none
	var left []string
	for _, e := range entries {
		if random.MatchString(e.Name()) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left
}

// RemoveTemp removes what Left lists. Only who knows that nobody else writes in the folder may call it.
func RemoveTemp(dir string) error {
	var errs []error
	for _, left := range ListTemp(dir) {
		errs = append(errs, os.Remove(left))
	}
	return errors.Join(errs...)
}

// random matches the names that Write gives files before they get their own.
var random = regexp.MustCompile(`.\.[A-Z2-7]{26}\` + suffix + `$`)
