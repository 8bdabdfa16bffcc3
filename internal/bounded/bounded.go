// Package bounded opens regular files only, with a size limit. Its errors use the words of the caller, not those of the
// os package.
//
// In scope: regular files, read whole up to the caller's size limit. Out of scope: folders, devices, pipes.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrFile is wrapped by the errors for a file that is too large or no regular one.
var ErrFile = errors.New("file not read")

// Open opens a regular file to read it; links are followed. Anything else is refused at once, with fs.ErrInvalid in the
// error's chain: opening a pipe waits for a writer, who may never come, and a device may have no end.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which says nothing to a regular file
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregularFileError(path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// irregularFileError is the error of what is no regular file, at a path.
type irregularFileError string

func (path irregularFileError) Error() string {
	return fmt.Sprintf("%v: %s is not a regular file", ErrFile, string(path))
}

// Unwrap has fs.ErrInvalid, whose words say nothing to a reader.
func (path irregularFileError) Unwrap() []error { return []error{ErrFile, fs.ErrInvalid} }

// ReadFile returns the bytes of a regular file, of which it reads at most most. The error for a
// larger one says the limit.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := OpenUpTo(path, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge(path, most)
	}
	return data, err
}

// OpenUpTo opens a regular file that has at most most bytes now. The error for a larger one says the limit.
func OpenUpTo(path string, most int64) (*os.File, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = tooLarge(path, most)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Dir is the files of a folder, each a regular one of at most most bytes; others cannot be opened.
func Dir(dir string, most int64) fs.FS { return boundedFolder{dir, most} }

type boundedFolder struct {
	dir  string
	most int64
}

// Open implements fs.FS.
func (d boundedFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return OpenUpTo(filepath.Join(d.dir, filepath.FromSlash(name)), d.most)
}

// OpenRoot opens a folder as os.OpenRoot does, which would wait for the writer of a pipe of this name.
func OpenRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Named is an error of the system about a path without the name of the call that failed: "none: no such file or
// directory". Others stay as they are. errors.Is finds the same in it.
func Named(err error) error {
	var of *fs.PathError
	if !errors.As(err, &of) {
		return err
	}
	return fmt.Errorf("%s: %w", of.Path, of.Err)
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%w: %s has more than %d bytes, the most that is read of such a file", ErrFile, path, most)
}
