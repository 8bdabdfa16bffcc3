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

// Folder makes the folder at path, which must not exist, of what fill writes into an empty one beside it: that gets the
// name once fill has ended well and its files are on the disk. A reader, or a crash, sees all of it or nothing. Folders
// above it are made where they are missing.
//
// What fill wrote is removed where fill or Folder fails. Who kills the process in that moment leaves a folder that Left
// finds.
func Folder(path string, fill func(dir string) error) error {
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
	dir := path + "." + rand.Text() + suffix
	err := os.Mkdir(dir, 0o777)
	if err != nil {
		return err
	}
	if err = fill(dir); err == nil {
		err = Sync(dir)
	}
	if err == nil {
		err = os.Rename(dir, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return SyncNames(filepath.Dir(path))
}

// Sync brings all files below a folder to the disk, and the folder itself with those below it, whoever wrote them. What
// could not be written is an error here, though the writer's own calls went well. Links are not followed.
func Sync(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return SyncNames(path)
		case !d.Type().IsRegular():
			return nil
		}
		// Where a pipe has taken the file's place since, opening it must not wait.
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
