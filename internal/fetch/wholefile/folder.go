package wholefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFolder creates the folder at path, which must not exist. fill writes the files into an empty folder with a
// temporary name in the same parent. Folder syncs them to the disk and then renames the folder, so readers see all
// files or none, even after a crash. Missing parents are created.
//
// If fill or Folder fails, the temporary folder is removed. If the process is killed, it stays, and ListTemp finds it.
func WriteFolder(path string, fill func(dir string) error) error {
	path = filepath.Clean(path)
	switch _, err := os.Lstat(path); {
	case err == nil:
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	dir := path + "." + rand.Text() + tempSuffix
	err := os.Mkdir(dir, 0o777)
	if err != nil {
		return err
	}
	if err = fill(dir); err == nil {
		err = SyncTree(dir)
	}
	if err == nil {
		err = os.Rename(dir, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return SyncNames(filepath.Dir(path))
}

// SyncTree syncs all files and folders below dir, and dir itself, to the disk, including those written by other
// programs. It returns write errors that the writers' own calls did not report. It does not follow links.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return SyncNames(path)
		case !d.Type().IsRegular():
			return nil
		}
		// If a pipe has replaced the file since, opening it must not wait.
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
