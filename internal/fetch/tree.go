package fetch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxDepth limits the nesting of an archive's folders.
const maxDepth = 64

// unpackedTree is the folder for an archive's entries. It accepts only safe entries: paths inside the folder that do
// not lead through links, links to targets inside, only files, folders and links, each written once and within the
// limits. os.Root enforces the paths again in the kernel.
type unpackedTree struct {
	root     *os.Root
	limits   Limits
	progress func(int64)
	hasLinks bool // true if there are symbolic links
	entries  int
	bytes    int64
}

func newTree(root *os.Root, l Limits, moved func(int64)) *unpackedTree {
	return &unpackedTree{root: root, limits: l, progress: moved}
}

func (t *unpackedTree) sizeError() error {
	return fmt.Errorf("%w: its contents are more than %d bytes", ErrUnsafe, t.limits.Bytes)
}

// countEntry counts an entry and returns its clean path relative to the root.
func (t *unpackedTree) countEntry(name string) (string, error) {
	t.entries++
	if t.entries > t.limits.Files {
		return "", fmt.Errorf("%w: more than %d files", ErrUnsafe, t.limits.Files)
	}
	clean, err := EntryPath(name)
	if err != nil {
		return "", err
	}
	return clean, t.checkNoLink(clean, name)
}

// EntryPath returns the clean path of an archive's entry, relative to the folder for unpacking. The error states why an
// entry of this name is rejected.
func EntryPath(name string) (string, error) {
	clean := path.Clean(strings.TrimRight(name, "/"))
	switch {
	case name == "" || strings.ContainsAny(name, "\\\x00"):
		return "", fmt.Errorf("%w: an entry is called %q", ErrUnsafe, name)
	case !filepath.IsLocal(clean):
		return "", fmt.Errorf("%w: entry %q lies outside the archive", ErrUnsafe, name)
	case strings.Count(clean, "/") >= maxDepth:
		return "", fmt.Errorf("%w: entry %.100q... lies in more than %d folders", ErrUnsafe, name, maxDepth)
	}
	return clean, nil
}

// checkNoLink rejects a path that leads through or to a symbolic link, because the target may be elsewhere. It asks the
// file system, which may ignore case in names.
func (t *unpackedTree) checkNoLink(clean, name string) error {
	for p := clean; t.hasLinks && p != "."; p = path.Dir(p) {
		if info, err := t.root.Lstat(p); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return fmt.Errorf("%w: entry %q passes through the link %q", ErrUnsafe, name, p)
		}
	}
	return nil
}

func (t *unpackedTree) makeFolder(name string) error {
	clean, err := t.countEntry(name)
	if err != nil {
		return err
	}
	return t.wrapMakeError(name, t.root.MkdirAll(clean, 0o755))
}

// writeFile writes a file with the bytes of r. size is their number according to the archive. mode only decides whether
// the file is executable.
func (t *unpackedTree) writeFile(name string, mode fs.FileMode, size int64, r io.Reader) error {
	clean, err := t.countEntry(name)
	if err != nil {
		return err
	}
	if size > t.limits.Bytes-t.bytes { // write nothing if the file cannot be complete
		return t.sizeError()
	}
	if err := t.makeParents(clean); err != nil {
		return t.wrapMakeError(name, err)
	}
	perm := fs.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	w, err := t.root.OpenFile(clean, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return t.wrapMakeError(name, err)
	}
	err = t.copyContent(name, w, r)
	if closeErr := w.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("fetch: %w", closeErr)
	}
	return err
}

// copyContent copies r to w up to the limit. Its errors distinguish a full disk from a damaged archive.
func (t *unpackedTree) copyContent(name string, w io.Writer, r io.Reader) error {
	left := t.limits.Bytes - t.bytes
	out := &countingWriter{Writer: w, n: t.bytes, progress: t.progress}
	n, err := io.Copy(struct{ io.Writer }{out}, io.LimitReader(r, left+1))
	t.bytes += n
	var disk *fs.PathError
	switch {
	case errors.As(err, &disk):
		return fmt.Errorf("fetch: %w", err)
	case err != nil:
		return fmt.Errorf("%w: entry %q: %w", ErrArchive, name, err)
	case n > left:
		return t.sizeError()
	}
	return nil
}

// makeSymlink creates a symbolic link with a target inside the root.
func (t *unpackedTree) makeSymlink(name, target string) error {
	clean, err := t.countEntry(name)
	if err != nil {
		return err
	}
	if !pointsInside(clean, target) {
		return fmt.Errorf("%w: the link %q points to %q, which can be outside", ErrUnsafe, name, target)
	}
	if err := t.makeParents(clean); err != nil {
		return t.wrapMakeError(name, err)
	}
	t.hasLinks = true
	return t.wrapMakeError(name, t.root.Symlink(filepath.FromSlash(target), clean))
}

// pointsInside reports whether the target of a link at path clean stays below the root. The target may ascend first,
// but not above the root, and then only descend. An ascent after a descent could lead through another link and end
// outside.
func pointsInside(clean, target string) bool {
	down, up := target, 0
	for down == ".." || strings.HasPrefix(down, "../") {
		down, up = strings.TrimPrefix(down[2:], "/"), up+1
	}
	if up > strings.Count(clean, "/") || strings.ContainsAny(target, "\\\x00") || strings.Contains("/"+down+"/", "/../") {
		return false
	}
	return filepath.IsLocal(down) || down == "" && up > 0
}

// makeHardLink gives a file of the archive a second name.
func (t *unpackedTree) makeHardLink(name, target string) error {
	clean, err := t.countEntry(name)
	if err != nil {
		return err
	}
	from := path.Clean(target)
	if !filepath.IsLocal(from) || strings.ContainsAny(target, "\\\x00") {
		return fmt.Errorf("%w: entry %q is the same file as %q, which lies outside", ErrUnsafe, name, target)
	}
	if err := t.checkNoLink(from, target); err != nil {
		return err
	}
	if err := t.makeParents(clean); err != nil {
		return t.wrapMakeError(name, err)
	}
	return t.wrapMakeError(name, t.root.Link(from, clean))
}

func (t *unpackedTree) makeParents(clean string) error {
	return t.root.MkdirAll(path.Dir(clean), 0o755)
}

// wrapMakeError adds the entry's name to an error of its creation.
func (t *unpackedTree) wrapMakeError(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%w: entry %q: %w", ErrArchive, name, err)
	}
	return nil
}
