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

// Store is a folder of original logs, named by their sha256 (HASH.json). Only one process may use it at a time.
type Store struct {
	dir     string
	release func()
}

// lockName is the file that says whose the store is.
const lockName = ".lock"

// OpenStore opens the store in the folder dir, which is made where it is missing, and removes what a killed writer
// left there. It waits for at most a minute for another process that has it.
func OpenStore(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder for originals: %w", err)
	}
	release, err := filelock.Hold(ctx, filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("the folder for originals %s: %w", dir, err)
	}
	if err := wholefile.RemoveTemp(dir); err != nil {
		release()
		return nil, fmt.Errorf("the folder for originals: %w", err)
	}
	return &Store{dir: dir, release: release}, nil
}

// Close lets other processes have the store.
func (s *Store) Close() { s.release() }

// Path is where the original with this sha256, in lower-case hex, is kept, or would be.
func (s *Store) Path(sum string) string { return filepath.Join(s.dir, sum+".json") }

// Check reads the original with this sha256 and wants it to be there and to have it.
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

// keepFile puts the file at path into the store and returns its sha256. Where it can, it is there without being copied,
// as a second name of the file: what is to follow replaces the first.
func (s *Store) keepFile(ctx context.Context, path string) (sum string, err error) {
	entry := filepath.Join(s.dir, "original."+rand.Text()+".tmp") // as wholefile.Left knows them
	sum, err = s.linkEntry(ctx, path, entry)
	if err == nil {
		_, err = os.Lstat(s.Path(sum))
		if err == nil { // kept before
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

// linkEntry gives the file at path the name entry as well, or copies it there, and returns its sha256. A copy is read
// again: what counts is what the disk has.
func (s *Store) linkEntry(ctx context.Context, path, entry string) (sum string, err error) {
	if soleName(path) && os.Link(path, entry) == nil {
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

// removeIfExists removes a file that may not be there.
func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// hashFile returns the sha256 of a file, which must not change meanwhile.
func hashFile(ctx context.Context, path string) (sum string, err error) {
	return readWhole(ctx, path, io.Discard)
}

// copyFile copies a file to a new one and brings it to the disk.
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

// readWhole copies a file to w and returns its sha256.
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
	if _, err := io.CopyBuffer(io.MultiWriter(h, w), bounded.Until(ctx, f), make([]byte, 1<<20)); err != nil {
		return "", err
	}
	after, err := f.Stat()
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%s is being written to: wait until the run is over", path)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}
