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

// ErrFile is the error, in the chain of this package's errors, for a file that is too large or not regular.
var ErrFile = errors.New("file not read")

// Open opens a regular file for reading and follows links. For any other file it returns at once an error with
// fs.ErrInvalid in its chain. Opening a pipe would wait for a writer, possibly for ever, and a device may be endless.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not affect regular files
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

// irregularFileError is the error for a path that is not a regular file.
type irregularFileError string

func (path irregularFileError) Error() string {
	return fmt.Sprintf("%v: %s is not a regular file", ErrFile, string(path))
}

// Unwrap returns ErrFile and fs.ErrInvalid. The error's text omits the latter, because its words do not help a user.
func (path irregularFileError) Unwrap() []error { return []error{ErrFile, fs.ErrInvalid} }

// ReadFile returns the contents of a regular file. If the file is larger than maxBytes, it returns an error that states
// the limit.
func ReadFile(path string, maxBytes int64) ([]byte, error) {
	f, err := OpenUpTo(path, maxBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(data)) > maxBytes {
		err = sizeError(path, maxBytes)
	}
	return data, err
}

// OpenUpTo opens a regular file whose current size does not exceed maxBytes. The error for a larger file states the
// limit.
func OpenUpTo(path string, maxBytes int64) (*os.File, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxBytes {
		err = sizeError(path, maxBytes)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// DirFS returns the files of a folder. Only regular files of up to maxBytes bytes can be opened.
func DirFS(dir string, maxBytes int64) fs.FS { return boundedFolder{dir, maxBytes} }

type boundedFolder struct {
	dir      string
	maxBytes int64
}

// Open implements fs.FS.
func (d boundedFolder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return OpenUpTo(filepath.Join(d.dir, filepath.FromSlash(name)), d.maxBytes)
}

// OpenRoot opens a folder like os.OpenRoot, but returns an error for a pipe, where os.OpenRoot would wait for a writer.
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

// ShortenPathError removes the name of the failed system call from an error about a path: "none: no such file or
// directory". It returns other errors unchanged. errors.Is finds the same errors in the result.
func ShortenPathError(err error) error {
	var of *fs.PathError
	if !errors.As(err, &of) {
		return err
	}
	return fmt.Errorf("%s: %w", of.Path, of.Err)
}

func sizeError(path string, maxBytes int64) error {
	return fmt.Errorf("%w: %s has more than %d bytes, the most that is read of such a file", ErrFile, path, maxBytes)
}
