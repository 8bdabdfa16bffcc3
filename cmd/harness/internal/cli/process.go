package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// Process is the State of this process.
func Process(signals <-chan os.Signal) *State {
	return &State{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		Env:        os.Getenv,
		Executable: executable(),
		Terminal:   term.IsTerminal(int(os.Stderr.Fd())),
		Width:      func() int { return width(os.Stderr) },
		Signals:    signals,
		Exit:       os.Exit,
		Exec:       become,
		Now:        time.Now,
		Root:       os.DirFS("/"),
		Proxy:      http.ProxyFromEnvironment,
		Plugins:    plugin.Host{},
	}
}

// width is a terminal's number of columns; 0: not known.
func width(f *os.File) int {
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
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
