package fetch

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
)

// maxLinkTarget is the maximum length of a symbolic link's target, as on Linux.
const maxLinkTarget = 4095

// unpackZip writes the entries of an archive to the tree.
func (t *unpackedTree) unpackZip(ctx context.Context, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // the tree reports the path
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	for _, f := range archive.File {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.writeZipEntry(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// encryptedFlag is the flag of an encrypted zip entry.
const encryptedFlag = 1

func (t *unpackedTree) writeZipEntry(ctx context.Context, f *zip.File) error {
	mode := f.Mode()
	switch {
	case f.Flags&encryptedFlag != 0:
		return fmt.Errorf("%w: entry %q is encrypted", ErrArchive, f.Name)
	case mode.IsDir() || strings.HasSuffix(f.Name, "/"):
		return t.makeFolder(f.Name)
	case mode.Type() != 0 && mode.Type() != fs.ModeSymlink:
		return fmt.Errorf("%w: entry %q is a special file (%v)", ErrUnsafe, f.Name, mode)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: entry %q: %w", ErrArchive, f.Name, err)
	}
	defer r.Close()
	if mode.Type() == fs.ModeSymlink {
		return t.writeZipLink(f.Name, r)
	}
	return t.writeFile(f.Name, mode, int64(min(f.UncompressedSize64, math.MaxInt64)), newContextReader(ctx, r))
}

// writeZipLink creates a symbolic link. The entry's contents are the link's target.
func (t *unpackedTree) writeZipLink(name string, r io.Reader) error {
	target, err := io.ReadAll(io.LimitReader(r, maxLinkTarget+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: entry %q: %w", ErrArchive, name, err)
	case len(target) > maxLinkTarget:
		return fmt.Errorf("%w: the target of the link %q is longer than %d bytes", ErrUnsafe, name, maxLinkTarget)
	}
	return t.makeSymlink(name, string(target))
}
