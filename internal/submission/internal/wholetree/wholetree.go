// Package wholetree writes the tree of a submission completely or not at all: it writes under a temporary name and then
// renames the tree.
package wholetree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
)

// File is a file of a tree with its origin.
type File struct {
	Path   string // path in the tree, with slashes
	Origin string // origin, for people
	From   string // path of the file to copy; empty: write Text
	Text   []byte
}

// ErrExists reports that the tree exists already.
var ErrExists = errors.New("it exists already")

// Tree is a tree to write.
type Tree struct {
	Out string
	// Force replaces an existing tree. A folder with an entry that Part rejects is never replaced.
	Force bool
	// IsPart reports whether a name can be an entry of Out in such a tree.
	IsPart func(name string) bool
	// Fill writes the tree below a folder.
	Fill func(root string) error
}

// Write writes the tree. replaced reports whether it has replaced an existing tree. Concurrent writes of one tree wait
// for each other.
func (t Tree) Write(ctx context.Context) (replaced bool, err error) {
	if err := t.CheckPossible(); err != nil {
		return false, err
	}
	free, err := filelock.HoldLock(ctx, hiddenName(t.Out, "lock"))
	if err != nil {
		return false, fmt.Errorf("the tree %s: %w", t.Out, err)
	}
	defer free()
	if err := t.CheckPossible(); err != nil { // check again under the lock
		return false, err
	}
	making := hiddenName(t.Out, "building")
	err = os.RemoveAll(making) // left by a killed build
	if err == nil {
		err = os.MkdirAll(making, 0o755)
	}
	if err == nil {
		err = t.Fill(making)
	}
	if err == nil {
		replaced, err = t.renameInto(making)
	}
	if err != nil {
		return false, errors.Join(err, os.RemoveAll(making))
	}
	return replaced, nil
}

// hiddenName returns a hidden name in a folder's parent folder.
func hiddenName(out, what string) string {
	return filepath.Join(filepath.Dir(out), "."+filepath.Base(out)+"."+what)
}

// CheckPossible returns an error if the tree's place is occupied. With Force, an existing tree is permitted.
func (t Tree) CheckPossible() error {
	entries, err := os.ReadDir(t.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wholefile.CheckWritable(filepath.Dir(t.Out))
	case err != nil:
		return err
	case !t.Force:
		return fmt.Errorf("%s: %w; choose another --out, or replace it with --force", t.Out, ErrExists)
	}
	for _, e := range entries {
		if !t.IsPart(e.Name()) {
			return fmt.Errorf("%s: %s is in it, which is no part of a submission's tree: it is not replaced; choose another "+
				"--out", t.Out, e.Name())
		}
	}
	return nil
}

// renameInto renames the new tree to its final name and then removes the replaced one.
func (t Tree) renameInto(making string) (replaced bool, err error) {
	old := hiddenName(t.Out, "replaced")
	if err := os.RemoveAll(old); err != nil {
		return false, err
	}
	if t.Force {
		err := os.Rename(t.Out, old)
		if replaced = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	if err := os.Rename(making, t.Out); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, t.Out))
		}
		return false, err
	}
	return replaced, os.RemoveAll(old)
}

// Write writes one file below a folder.
func (f File) Write(ctx context.Context, root string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path := filepath.Join(root, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if f.From == "" {
		return os.WriteFile(path, f.Text, 0o644)
	}
	from, err := bounded.Open(f.From)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // opened for reading
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, bounded.NewContextReader(ctx, from))
	return errors.Join(err, to.Close())
}
