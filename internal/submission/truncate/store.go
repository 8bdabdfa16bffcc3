package truncate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
)

// Store is a folder of original logs, named by their SHA-256 (HASH.json). Only one process can use it at a time.
type Store struct {
	dir     string
	release func()
}

// lockName is the name of the store's lock file.
const lockName = ".lock"

// OpenStore opens the store in the folder dir, which it creates if necessary, and removes the temporary files of killed
// writers. It waits up to a minute for another process that uses the store.
func OpenStore(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder for originals: %w", err)
	}
	release, err := filelock.HoldLock(ctx, filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("the folder for originals %s: %w", dir, err)
	}
	if err := wholefile.RemoveTemp(dir); err != nil {
		release()
		return nil, fmt.Errorf("the folder for originals: %w", err)
	}
	return &Store{dir: dir, release: release}, nil
}

// Close releases the store for other processes.
func (s *Store) Close() { s.release() }

// Path returns the path of the original with a SHA-256 in lower-case hex, whether it exists or not.
func (s *Store) Path(sum string) string { return filepath.Join(s.dir, sum+".json") }

// Check reads the original with a SHA-256 and verifies it.
func (s *Store) Check(ctx context.Context, sum string) error {
	found, err := hashFile(ctx, s.Path(sum))
	if err != nil {
		return err
	}
	if found != sum {
		return fmt.Errorf("%s has the sha256 %s: it is damaged; move it away and put the whole log in its place",
			s.Path(sum), found)
	}
	return nil
}

// keepFile adds the file at path to the store and returns its SHA-256. If possible, it adds a hard link instead of a
// copy, because the file at path will be replaced.
func (s *Store) keepFile(ctx context.Context, path string) (sum string, err error) {
	// package wholefile removes leftover files with this name pattern
	entry := filepath.Join(s.dir, "original."+rand.Text()+".tmp")
	sum, err = s.linkOrCopy(ctx, path, entry)
	if err == nil {
		_, err = os.Lstat(s.Path(sum))
		if err == nil { // stored before
			return sum, errors.Join(s.Check(ctx, sum), os.Remove(entry))
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(entry, s.Path(sum))
		}
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("keeping %s: %w", path, err), removeIfExists(entry))
	}
	return sum, nil
}

// linkOrCopy links the file at path to entry, or copies it there, and returns its SHA-256. It reads a copy again from
// the disk.
func (s *Store) linkOrCopy(ctx context.Context, path, entry string) (sum string, err error) {
	if hasOneName(path) && os.Link(path, entry) == nil {
		return hashFile(ctx, entry)
	}
	if sum, err = copyFile(ctx, path, entry); err != nil {
		return "", err
	}
	again, err := hashFile(ctx, entry)
	if err == nil && again != sum {
		err = fmt.Errorf("the copy has the sha256 %s, what was read %s: check the disk", again, sum)
	}
	return sum, err
}

// removeIfExists removes a file if it exists.
func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hashFile returns the SHA-256 of a file. It returns an error if the file changes meanwhile.
func hashFile(ctx context.Context, path string) (sum string, err error) {
	return readWhole(ctx, path, io.Discard)
}

// copyFile copies a file to a new one and flushes it to the disk.
func copyFile(ctx context.Context, from, to string) (sum string, err error) {
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return "", err
	}
	sum, err = readWhole(ctx, from, w)
	if err == nil {
		err = w.Sync()
	}
	return sum, errors.Join(err, w.Close())
}

// readWhole copies a file to w and returns its SHA-256.
func readWhole(ctx context.Context, path string, w io.Writer) (sum string, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(io.MultiWriter(h, w), bounded.NewContextReader(ctx, f), make([]byte, 1<<20)); err != nil {
		return "", err
	}
	after, err := f.Stat()
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%s is being written to: wait until the run is over", path)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}
