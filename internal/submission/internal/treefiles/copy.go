// Package treefiles copies the folders of a submission, and checks whether a path, with all links resolved, is outside
// of a folder.
//
// In scope: folders and files, their contents and the right to execute; paths whose last elements need not exist. Out
// of scope: times, owners, the choice of folders.
package treefiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// CopyFolder copies the content of the folder from into the folder to, which it creates if necessary. It copies the
// targets of links and replaces existing files. If ctx ends, it stops and leaves the copied files.
func CopyFolder(ctx context.Context, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyEntry(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyEntry(ctx context.Context, from, to string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return CopyFolder(ctx, from, to)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is a device, pipe or socket: want files and folders", from)
	}
	return CopyFile(ctx, from, to)
}

// CopyFile copies a file like CopyFolder.
func CopyFile(ctx context.Context, from, to string) error {
	r, err := bounded.Open(from)
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
	_, err = io.Copy(w, bounded.NewContextReader(ctx, r))
	return errors.Join(err, w.Close())
}
