package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/checksum"
)

// FilesIn lists the files of a folder with their checksums. Paths begin with name.
func FilesIn(dir, name string) (all []File, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		sum, size, err := checksum.File(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		all = append(all, File{Path: filepath.ToSlash(filepath.Join(name, below)), Size: size, SHA256: sum})
		return nil
	})
	return all, err
}

// CheckFiles returns an error that names a changed file, or nil if no file has changed since it was recorded. Paths are
// relative to dir.
func CheckFiles(dir string, files []File) error {
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return fmt.Errorf("%s is no file of this folder", f.Path)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is gone", f.Path)
		case err != nil:
			return err
		case info.Size() != f.Size:
			return fmt.Errorf("%s has %d bytes, and had %d", f.Path, info.Size(), f.Size)
		}
		sum, _, err := checksum.File(path)
		switch {
		case err != nil:
			return err
		case sum != f.SHA256:
			return fmt.Errorf("%s has other contents than were written (SHA-256)", f.Path)
		}
	}
	return nil
}
