// Package checksum computes SHA-256 checksums of files, readers and data sets.
package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// File returns the SHA-256 of a file, in lower-case hex, and the file's size in bytes.
func File(path string) (sum string, size int64, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return "", 0, err
	}
	if sum, size, err = hashAndClose(f); err != nil {
		return "", 0, fmt.Errorf("reading %s: %w", path, err)
	}
	return sum, size, nil
}

// Contents reads r to its end and returns the SHA-256 of what it read, in lower-case hex, and its size in bytes.
func Contents(r io.Reader) (sum string, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// hashAndClose reads f to its end and closes it.
func hashAndClose(f io.ReadCloser) (sum string, size int64, err error) {
	sum, size, err = Contents(f)
	return sum, size, errors.Join(err, f.Close())
}

// DatasetNote describes what the checksum of HashDataset covers.
const DatasetNote = "names and sizes of all files, contents of .txt, .csv, .json, .jsonl and .parquet files"

// Dataset returns a SHA-256 that identifies a data set, which is a folder or a single file. It covers the names and
// sizes of all files, and the contents of files with labels, lists and records. It skips the contents of pictures,
// because reading a hundred gigabytes of them would take longer than the run. A single file gets the checksum of a
// folder that contains only this file.
func Dataset(path string) (string, error) {
	lines, err := describeFiles(path)
	if err != nil {
		return "", fmt.Errorf("naming the data set %s: %w", path, err)
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprint(h, line)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func describeFiles(path string) (lines []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		line, err := fileLine(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		return []string{line}, err
	}
	root := os.DirFS(path) // the path may be a link
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name != "." { // a folder that was removed meanwhile
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		line, err := fileLine(root, name)
		lines = append(lines, line)
		return err
	})
	return lines, err
}

// fileLine returns the line that describes a file. The line contains only the name if the file was removed meanwhile or
// is a broken link.
func fileLine(root fs.FS, name string) (string, error) {
	line, err := describeFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("- %q\n", name), nil
	}
	return line, err
}

func describeFile(root fs.FS, name string) (string, error) {
	info, err := fs.Stat(root, name)
	if err != nil {
		return "", err
	}
	sum := ""
	if isHashed(name) && info.Mode().IsRegular() {
		f, err := root.Open(name)
		if err != nil {
			return "", err
		}
		if sum, _, err = hashAndClose(f); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d %s %q\n", info.Size(), sum, name), nil
}

func isHashed(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", ".csv", ".json", ".jsonl", ".parquet":
		return true
	}
	return false
}
