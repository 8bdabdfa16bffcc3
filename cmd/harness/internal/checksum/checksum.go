// Package checksum names files by their contents.
package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File returns the SHA-256 of a file, in lower-case hex, and its size.
func File(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// DatasetNote says what the sum of Dataset covers.
const DatasetNote = "names and sizes of all files, contents of .txt, .json and .csv files"

// Dataset returns a SHA-256 that names a data set on disk: names and sizes of all files, and the contents of those that
// hold labels and lists. Reading the contents of a hundred gigabytes of pictures would take longer than the run.
func Dataset(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		line, err := describe(dir, path, d)
		lines = append(lines, line)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("naming the data set %s: %w", dir, err)
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		io.WriteString(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func describe(dir, path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return "", err
	}
	sum := ""
	if lists(name) && info.Mode().IsRegular() {
		if sum, _, err = File(path); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d %s %q\n", info.Size(), sum, filepath.ToSlash(name)), nil
}

func lists(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".json", ".csv":
		return true
	}
	return false
}
