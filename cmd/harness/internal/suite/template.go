package suite

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

//go:embed template.yaml
var template []byte

// WriteTemplate writes a suite template to path, which must not exist.
func WriteTemplate(path string) error {
	if !IsSuiteFile(path) {
		return fmt.Errorf("%s: want a name that ends in .yaml or .yml", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: give another name, or remove it", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(template)
	if err = errors.Join(err, f.Close()); err != nil { // remove the incomplete file
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
