// Package treecopy copies the folders of a submission.
//
// In: folders and files, their contents and the right to execute. Out: times, owners, which folders to copy.
package treecopy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Folder copies what is in the folder from into the folder to, which is made where it is missing. Of links it copies
// what they lead to. A file that is there already is replaced.
func Folder(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if err := entry(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func entry(from, to string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return Folder(from, to)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is a device, pipe or socket: want files and folders", from)
	}
	return File(from, to)
}

// File copies a file.
func File(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
