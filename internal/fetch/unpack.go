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

// unpackInto creates a new staging folder and unpacks the downloaded archive into it. If unpacking fails and the
// checksum was not verified, it deletes the download, which may be damaged.
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

// Unpack unpacks a tar, tar.gz or zip archive into the new folder dir. It rejects entries outside dir, devices, links
// to targets outside, and archives above the limits. After an error dir contains the entries before it.
func Unpack(ctx context.Context, archive, dir string, l Limits) error {
	return unpackArchive(ctx, archive, dir, l, func(int64) {})
}

// unpackArchive unpacks a tar, tar.gz or zip archive into the new folder dir. It detects the format by the first bytes.
// It calls moved with the bytes written so far.
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

// tarMark is the offset of tarMagic in a tar archive. The other formats have their magic numbers at offset 0.
const tarMark = 257

var (
	zipMagic  = []byte("PK")
	gzipMagic = []byte{0x1f, 0x8b}
	tarMagic  = []byte("ustar")
)

func unpackFile(ctx context.Context, file *os.File, t *unpackedTree) error {
	r := bufio.NewReaderSize(newContextReader(ctx, file), 1<<20)
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

// maxPadding limits the bytes after the last entry of a tar archive. Writers pad their last block.
const maxPadding = 16 << 20

// drainReader reads r to the end, because the checksum of gzip is there.
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
