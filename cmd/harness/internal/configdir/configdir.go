// Package configdir chooses the folder of the user's settings: pins of plugins, profiles of models.
package configdir

import (
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk"
)

// EnvDir is the environment variable that names the folder.
const EnvDir = "PLUMBLINE_CONFIG"

// Dir chooses the folder: PLUMBLINE_CONFIG, else plumbline/ in the user's configuration directory. It need not exist.
// env looks a variable up.
func Dir(env func(string) string) (string, error) {
	if dir := env(EnvDir); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plumbline"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".config", "plumbline"), nil
	}
	return "", sdk.Usage(errors.New("no folder for settings: set " + EnvDir + " to a folder that can be written"))
}
