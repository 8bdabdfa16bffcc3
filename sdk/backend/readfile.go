package backend

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadFile returns the bytes of a small file that an option names, such as a certificate or a vocabulary. It must be a
// regular file, because pipes and devices may never end. If it is larger than maxBytes, the error states the limit.
func ReadFile(path string, maxBytes int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: %w", path, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(data)) > maxBytes {
		err = fmt.Errorf("%s has more than %d bytes, the most that is read of such a file", path, maxBytes)
	}
	return data, errors.Join(err, f.Close())
}
