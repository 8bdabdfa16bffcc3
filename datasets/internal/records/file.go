package records

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions lists the extensions of the supported forms; pickles lists those of official files that must be converted.
var (
	extensions       = []string{".json", ".jsonl", ".parquet"}
	pickleExtensions = []string{".pkl", ".pkl.gz"}
)

// FindFile returns the path of a file of records: path itself, or the file in the folder path that has the official
// name and the extension .json, .jsonl or .parquet. name is without the extension.
func FindFile(path, name string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.Mode().IsRegular():
		return path, nil
	case !info.IsDir():
		return "", fmt.Errorf("it is neither a file nor a folder: %w", fs.ErrInvalid)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	has := func(ending string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name+ending })
	}
	var found []string
	for _, ending := range extensions {
		if has(ending) {
			found = append(found, name+ending)
		}
	}
	switch {
	case len(found) == 1:
		return filepath.Join(path, found[0]), nil
	case len(found) > 1:
		return "", fmt.Errorf("the folder has %s: name the one to read", strings.Join(found, " and "))
	case slices.ContainsFunc(pickleExtensions, has):
		return "", fmt.Errorf("the folder has %s as a Python pickle: %w", name, errPickle)
	}
	return "", fmt.Errorf("the folder has no %s with %s: name the file itself if yours is called otherwise: %w",
		name, strings.Join(extensions, ", "), fs.ErrNotExist)
}

var errPickle = errors.New("want JSON, JSONL or Parquet: datasets/convert/convert.py converts it")
