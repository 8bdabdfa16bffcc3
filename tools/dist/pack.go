package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pack writes the folder name in dir as a tar archive that depends on nothing but names, contents and date: files in
// the order of their names, of nobody, executable or not.
func pack(path, dir, name string, date time.Time) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
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
		return add(t, file, filepath.ToSlash(inside), e, date)
	})
	return errors.Join(err, t.Close(), z.Close())
}

func add(t *tar.Writer, file, inside string, e fs.DirEntry, date time.Time) error {
	if e.IsDir() {
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: inside + "/", Mode: 0o755, ModTime: date})
	}
	info, err := os.Stat(file) // a link becomes what it names
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

// writeSums writes the checksums of files as sha256sum reads them.
func writeSums(path string, files []string) error {
	var text strings.Builder
	for _, file := range files {
		sum, err := sha256Of(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, filepath.Base(file))
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

func sha256Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
