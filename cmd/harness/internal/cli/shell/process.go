package shell

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// NewState returns the State of this process.
func NewState(signals <-chan os.Signal) *State {
	return &State{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Env:        os.Getenv,
		Executable: executablePath(),
		Screen:     newScreen(os.Stdout),
		ErrScreen:  newScreen(os.Stderr),
		Signals:    signals,
		Exit:       os.Exit,
		Exec:       replaceProcess,
		Now:        time.Now,
		Root:       os.DirFS("/"),
		Proxy:      http.ProxyFromEnvironment,
		Plugins:    plugin.Host{},
	}
}

// executablePath returns the path of this binary with all links resolved, so that plugins are found in the real folder.
func executablePath() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// envConfig is the environment variable for the folder of the user's settings.
const envConfig = "PLUMBLINE_CONFIG"

// configDir returns the folder of the user's settings, which contains the pins of plugins and the profiles of models:
// PLUMBLINE_CONFIG, or plumbline/ in the user's configuration directory. The folder need not exist. env looks up a
// variable.
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
