package cli

import (
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/sdk"
)

// envConfig is the environment variable that names the folder of the user's settings.
const envConfig = "PLUMBLINE_CONFIG"

// configDir chooses the folder of the user's settings, the pins of plugins and profiles of models: PLUMBLINE_CONFIG,
// else plumbline/ in the user's configuration directory. It need not exist. env looks a variable up.
func configDir(env func(string) string) (string, error) {
	if dir := env(envConfig); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plumbline"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".config", "plumbline"), nil
	}
	return "", sdk.Usage(errors.New("no folder for settings: set " + envConfig + " to a folder that can be written"))
}
