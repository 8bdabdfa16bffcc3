package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plumbline-ml/plumbline/internal/checksum"
)

// compressionWindow is the size of zstd's window in bytes. It covers the previous plugin, which contains the same
// libraries. It is the maximum that programs unpack without an option.
const compressionWindow = 128 << 20

// compressor returns a writer that compresses by the extension of the archive: .gz, which every tar unpacks, or .zst,
// which is much smaller. It uses one core, so that the bytes are the same on all machines.
func compressor(w io.Writer, name string) (io.WriteCloser, error) {
	if filepath.Ext(name) == ".zst" {
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(compressionWindow),
			zstd.WithEncoderConcurrency(1))
	}
	return gzip.NewWriterLevel(w, gzip.BestCompression)
}

// pack writes the folder name in dir as a tar archive that depends only on names, contents and date: files are sorted
// by name, have no owner, and are executable or not.
func pack(path, dir, name string, date time.Time) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := compressor(f, path)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = filepath.WalkDir(filepath.Join(dir, name), func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return addFile(t, file, filepath.ToSlash(inside), e, date)
	})
	return errors.Join(err, t.Close(), z.Close())
}

func addFile(t *tar.Writer, file, inside string, e fs.DirEntry, date time.Time) error {
	if e.IsDir() {
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: inside + "/", Mode: 0o755, ModTime: date})
	}
	info, err := os.Stat(file) // replace a link by its target
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	h := tar.Header{Typeflag: tar.TypeReg, Name: inside, Mode: mode, Size: info.Size(), ModTime: date}
	if err := t.WriteHeader(&h); err != nil {
		return err
	}
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(t, from)
	return err
}

// writeSums writes the checksums of files in the format of sha256sum.
func writeSums(path string, files []string) error {
	var text strings.Builder
	for _, file := range files {
		sum, _, err := checksum.File(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, filepath.Base(file))
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
