package checker

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// files reads the tree as Python's os and open do. Links out of the tree count as broken.
type files struct{ root *os.Root }

// mostText is the size up to which texts other than logs are read, in bytes.
const mostText = 256 << 20

func (f files) exists(name string) bool {
	_, err := f.root.Stat(filepath.FromSlash(name))
	return err == nil
}

func (f files) size(name string) (int64, error) {
	info, err := f.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// dirs and plain are the names of the folders and of the files in a folder, sorted.
func (f files) dirs(name string) ([]string, error) { return f.list(name, fs.FileMode.IsDir) }

func (f files) plain(name string) ([]string, error) { return f.list(name, fs.FileMode.IsRegular) }

func (f files) list(name string, want func(fs.FileMode) bool) ([]string, error) {
	dir, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := f.root.Stat(filepath.Join(filepath.FromSlash(name), e.Name()))
			if err != nil {
				continue
			}
			mode = info.Mode()
		}
		if want(mode) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// open opens a regular file.
func (f files) open(name string) (*os.File, error) {
	info, err := f.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return f.root.Open(filepath.FromSlash(name))
}

// text reads a text as Python does: UTF-8, with the ends of lines as \n.
func (f files) text(name string) (string, error) {
	file, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return readText(file, name)
}

func readText(r io.Reader, name string) (string, error) {
	text, err := pyvalue.ReadText(r, mostText)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// lines are those of a text with their ends; nil where there is no such file.
func (f files) lines(name string) ([]string, error) {
	if !f.exists(name) {
		return nil, nil
	}
	text, err := f.text(name)
	if err != nil {
		return nil, err
	}
	return append([]string{}, slices.Collect(strings.Lines(text))...), nil
}

// json reads a JSON file.
func (f files) json(name string) (any, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readJSON(file, name)
}

func readJSON(r io.Reader, name string) (any, error) {
	text, err := readText(r, name)
	if err != nil {
		return nil, err
	}
	v, err := pyvalue.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", name, err)
	}
	return v, nil
}

// log reads a detail log; nil where there is none. Errors are crashes.
func (f files) log(name string) (*detail.Log, error) {
	if !f.exists(name) {
		return nil, nil
	}
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := detail.Read(file, detail.LoadGen, detail.Endpoints)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// differ names the files of a folder that are missing, and those that are too many.
func (f files) differ(folder string, want, optional []string) (faults []string) {
	found, err := f.plain(folder)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", folder, err)}
	}
	for _, name := range want {
		if !slices.Contains(found, name) {
			faults = append(faults, folder+" has no "+name)
		}
	}
	for _, name := range found {
		if !slices.Contains(want, name) && !slices.Contains(optional, name) && !tree.Extra(name) {
			faults = append(faults, folder+" has "+name+", which does not belong there")
		}
	}
	return faults
}
