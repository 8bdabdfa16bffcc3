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
