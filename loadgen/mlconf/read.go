package mlconf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxBytes is the maximum size of a configuration file. The official ones have some kilobytes.
const maxBytes = 1 << 20

// readConf reads a configuration file. It must be a regular file, because each run reads it again and a pipe can be
// read only once. Errors do not name the file.
func readConf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", unwrapPathError(err)
	case !info.Mode().IsRegular():
		return "", errors.New("is not a regular file: write the settings to one, and name that")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", unwrapPathError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("has more than %d bytes, the most for settings: is it another file?", maxBytes)
	}
	return string(text), unwrapPathError(err)
}

// unwrapPathError returns the cause of an error that names a file.
func unwrapPathError(err error) error {
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return named.Err
	}
	return err
}
