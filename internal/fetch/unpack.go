package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// unpackInto fills the staging folder, which is made anew, with the contents of the downloaded archive. An archive that
// cannot be unpacked is not kept, unless it is known to be the right one: the download may have been bad.
func (c *Cache) unpackInto(ctx context.Context, f File, p cachePaths) error {
	if err := os.RemoveAll(p.staging); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	moved := func(n int64) { c.reportProgress(Progress{Name: f.Name, Phase: Unpacking, Done: n}) }
	err := unpackArchive(ctx, p.part, p.staging, c.options.Limits, moved)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", f.URL, err)
	if f.SHA256 == "" && (errors.Is(err, ErrArchive) || errors.Is(err, ErrUnsafe)) {
		err = errors.Join(err, discardPart(p))
	}
	return errors.Join(err, os.RemoveAll(p.staging))
}

// Unpack writes the contents of an archive on the disk, tar, tar.gz or zip, to the new folder dir. It refuses what
// would lie outside, devices, links that point outside, and more than the limits. After an error dir holds what came
// before it.
func Unpack(ctx context.Context, archive, dir string, l Limits) error {
	return unpackArchive(ctx, archive, dir, l, func(int64) {})
}

// unpackArchive writes the contents of a tar, tar.gz or zip archive, told apart by its first bytes, to the new folder
// dir. moved is called with the bytes written so far.
func unpackArchive(ctx context.Context, archive, dir string, l Limits, moved func(int64)) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	defer file.Close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	defer root.Close()
	t := newTree(root, l.withDefaults(), moved)
	if err := unpackFile(ctx, file, t); err != nil {
		return err
	}
	if t.entries == 0 {
		return fmt.Errorf("%w: it is empty", ErrArchive)
	}
	return nil
}

// The first bytes of the formats. A tar archive has its mark at tarMark.
const tarMark = 257

var (
	zipMagic  = []byte("PK")
	gzipMagic = []byte{0x1f, 0x8b}
	tarMagic  = []byte("ustar")
)

func unpackFile(ctx context.Context, file *os.File, t *unpackedTree) error {
	r := bufio.NewReaderSize(endsWith(ctx, file), 1<<20)
	head, err := r.Peek(tarMark + len(tarMagic))
	if err != nil && err != io.EOF {
		return fmt.Errorf("fetch: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, zipMagic):
		return t.unpackZip(ctx, file)
	case bytes.HasPrefix(head, gzipMagic):
		return t.unpackGzip(r)
	case len(head) > tarMark && bytes.HasPrefix(head[tarMark:], tarMagic):
		return t.unpackTar(r)
	}
	return fmt.Errorf("%w: neither tar, tar.gz nor zip: it begins with % x", ErrArchive, head[:min(len(head), 8)])
}

func (t *unpackedTree) unpackGzip(r io.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if err := t.unpackTar(z); err != nil {
		return err
	}
	return drainReader(z)
}

// maxPadding is how much may follow the last entry of a tar archive: writers fill up their last block.
const maxPadding = 16 << 20

// drainReader reads to the end, where gzip has its checksum.
func drainReader(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxPadding+1))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if n > maxPadding {
		return fmt.Errorf("%w: more than %d bytes follow its last entry", ErrArchive, maxPadding)
	}
	return nil
}
