package treefiles

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// IsOutside reports whether path is neither root nor below it.
func IsOutside(root, path string) (bool, error) {
	outer, err := resolvePath(root)
	if err != nil {
		return false, err
	}
	inner, err := resolvePath(path)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(outer, inner)
	return err != nil || !filepath.IsLocal(rel), nil
}

// resolvePath returns the path of a file with all links resolved. The last elements need not exist.
func resolvePath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		above, err := resolvePath(filepath.Dir(path))
		return filepath.Join(above, filepath.Base(path)), err
	}
	return real, err
}
