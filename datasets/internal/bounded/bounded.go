// Package bounded reads small files whole, and nothing that is larger than expected or never ends.
//
// In: regular files up to a size that the caller says. Out: everything else: folders, devices, pipes.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrFile is wrapped by the errors for a file that is too large or no regular one.
var ErrFile = errors.New("file not read")

// ReadFile returns the bytes of a regular file, of which it reads at most most. The error for a
// larger one says the limit.
func ReadFile(path string, most int64) ([]byte, error) {
	if err := Check(path, most); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge(path, most)
	}
	return data, err
}

// Check says what keeps a file from being read whole: it is none, or it has more than most bytes.
func Check(path string, most int64) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file: %w", ErrFile, path, fs.ErrInvalid)
	case info.Size() > most:
		return tooLarge(path, most)
	}
	return nil
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%w: %s has more than %d bytes, the most that is read of such a file", ErrFile, path, most)
}
