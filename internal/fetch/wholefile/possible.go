package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CheckWritable checks that files can be created in dir, or in its nearest existing parent. It creates a file and
// removes it.
func CheckWritable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		if err == nil {
			break
		}
		if !os.IsNotExist(err) || filepath.Dir(dir) == dir {
			return err
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".plumbline-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
