package fetch

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
)

// unpackTar writes the entries of an archive to the tree.
func (t *unpackedTree) unpackTar(r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrArchive, err)
		}
		if err := t.writeTarEntry(h, archive); err != nil {
			return err
		}
	}
}

func (t *unpackedTree) writeTarEntry(h *tar.Header, contents io.Reader) error {
	switch h.Typeflag {
	case tar.TypeReg:
		return t.writeFile(h.Name, h.FileInfo().Mode(), h.Size, contents)
	case tar.TypeDir:
		return t.makeFolder(h.Name)
	case tar.TypeSymlink:
		return t.makeSymlink(h.Name, h.Linkname)
	case tar.TypeLink:
		return t.makeHardLink(h.Name, h.Linkname)
	case tar.TypeXGlobalHeader:
		return nil // a comment, as in archives of git archive
	}
	return fmt.Errorf("%w: entry %q is a device, pipe or other special file (type %q)", ErrUnsafe, h.Name, h.Typeflag)
}
