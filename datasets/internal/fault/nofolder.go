package fault

import (
	"fmt"
	"os"
)

// RequireFolder returns an error that wraps kind if the path of a data set is a file instead of a folder. It returns
// nil if the path does not exist; the later read reports that.
func RequireFolder(kind error, path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%w %s: it is a file; name the folder that holds the data set", kind, path)
}

// PathExists reports whether path exists.
func PathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// WrapError returns an error about the part name of a data set that wraps kind and err, or nil if err is nil.
func WrapError(kind error, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", kind, name, err)
}
