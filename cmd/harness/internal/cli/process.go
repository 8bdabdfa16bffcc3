package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plugin"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/terminal"
)

// Process is the State of this process.
func Process(signals <-chan os.Signal) *State {
	return &State{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Env:        os.Getenv,
		Executable: executable(),
		Terminal:   terminal.Is(os.Stderr),
		Width:      func() int { return terminal.Width(os.Stderr) },
		Signals:    signals,
		Exit:       os.Exit,
		Now:        time.Now,
		Root:       os.DirFS("/"),
		Proxy:      http.ProxyFromEnvironment,
		Plugins:    plugin.Host{},
	}
}

// executable is the path of this binary behind all links, so that plugins are found beside the real one.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
