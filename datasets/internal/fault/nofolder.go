package fault

import (
	"fmt"
	"os"
)

// NoFolder is an error of that kind where the path of a data set, which has to be a folder, is that of a file. What is
// missing altogether is left to those who read it.
func NoFolder(kind error, path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%w %s: it is a file; name the folder that holds the data set", kind, path)
}

// PathExists says whether there is anything at a path.
func PathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ErrorAbout is an error about what a data set calls name; nil where err is.
func ErrorAbout(kind error, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", kind, name, err)
}
