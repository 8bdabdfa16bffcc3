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

// WriteTemplate writes a suite to start from to path, where no file may be.
func WriteTemplate(path string) error {
	if !IsFile(path) {
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
	if err = errors.Join(err, f.Close()); err != nil { // half a suite would be in the way of the next try
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
