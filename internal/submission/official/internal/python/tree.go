// Package python reproduces the parts of the official tools that belong to Python. It reads a tree like Python's os,
// open and json, with links out of the tree treated as broken, and logs like Python's logging.
//
// In scope: the folder of the tree, a tool's messages. Out of scope: the meaning of texts.
package python

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Tree reads the files of a folder by slash-separated names.
type Tree struct{ Root *os.Root }

// maxText is the maximum size in bytes of texts except logs.
const maxText = 256 << 20

// Exists reports whether a file or folder exists.
func (f Tree) Exists(name string) bool {
	_, err := f.Root.Stat(filepath.FromSlash(name))
	return err == nil
}

// Size returns the size of a file in bytes.
func (f Tree) Size(name string) (int64, error) {
	info, err := f.Root.Stat(filepath.FromSlash(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Dirs returns the names of a folder's subfolders, sorted.
func (f Tree) Folders(name string) ([]string, error) { return f.listNames(name, fs.FileMode.IsDir) }

// Plain returns the names of a folder's files, sorted.
func (f Tree) Files(name string) ([]string, error) { return f.listNames(name, fs.FileMode.IsRegular) }

func (f Tree) listNames(name string, want func(fs.FileMode) bool) ([]string, error) {
	dir, err := f.Root.Open(filepath.FromSlash(name))
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
			info, err := f.Root.Stat(filepath.Join(filepath.FromSlash(name), e.Name()))
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
func (f Tree) open(name string) (*os.File, error) {
	info, err := f.Root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return f.Root.Open(filepath.FromSlash(name))
}

// Text reads a text like Python: as UTF-8, with \n as line ends.
func (f Tree) Text(name string) (string, error) {
	file, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return readText(file, name)
}

func readText(r io.Reader, name string) (string, error) {
	text, err := pyvalue.ReadText(r, maxText)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// Lines returns the lines of a text with their ends, or nil if the file does not exist.
func (f Tree) Lines(name string) ([]string, error) {
	if !f.Exists(name) {
		return nil, nil
	}
	text, err := f.Text(name)
	if err != nil {
		return nil, err
	}
	return append([]string{}, slices.Collect(strings.Lines(text))...), nil
}

// JSON reads a JSON file.
func (f Tree) JSON(name string) (any, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadJSON(file, name)
}

// ReadJSON reads JSON. name is the file's name for errors.
func ReadJSON(r io.Reader, name string) (any, error) {
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

// Log reads a detail log of LoadGen or of an endpoints run. It returns nil if the file does not exist. Errors are
// crashes.
func (f Tree) Log(name string) (*detail.Log, error) {
	return f.readLog(name, func(r io.Reader) (*detail.Log, error) {
		return detail.ReadLog(r, detail.LoadGenMark, detail.EndpointsMark)
	})
}

// OldLog reads a detail log like the checkers before v5.0. It returns nil if the file does not exist. Errors are
// crashes.
func (f Tree) OldLog(name string) (*detail.Log, error) { return f.readLog(name, detail.ReadLoadGenLog) }

func (f Tree) readLog(name string, read func(io.Reader) (*detail.Log, error)) (*detail.Log, error) {
	if !f.Exists(name) {
		return nil, nil
	}
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// Differences returns texts that name the missing and the superfluous files of a folder.
func (f Tree) Differences(folder string, want, optional []string) (faults []string) {
	found, err := f.Files(folder)
	if err != nil {
		return []string{fmt.Sprintf("%s cannot be read: %v", folder, err)}
	}
	for _, name := range want {
		if !slices.Contains(found, name) {
			faults = append(faults, folder+" has no "+name)
		}
	}
	for _, name := range found {
		if !slices.Contains(want, name) && !slices.Contains(optional, name) && !tree.IsExtra(name) {
			faults = append(faults, folder+" has "+name+", which does not belong there")
		}
	}
	return faults
}
