package trust

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// ErrRefused is wrapped by errors about plugins, or files that they load, whose checksum differs from the pin or is not
// pinned.
var ErrRefused = errors.New("the plugin is not trusted")

// Guard is a Launcher that starts only pinned plugins.
type Guard struct {
	plugin.Launcher
	Lock *Lock
}

// Launch implements plugin.Launcher. A refused plugin is not executed; the error wraps ErrRefused.
func (g Guard) Launch(ctx context.Context, path string, o host.LaunchOptions) (plugin.Plugin, error) {
	o.Approve = func(binary *os.File) error { return g.Lock.Approve(path, binary) }
	o.Withhold = append(slices.Clone(o.Withhold), g.Lock.droppedVariables()...)
	return g.Launcher.Launch(ctx, path, o)
}

// Approve compares the open binary of path with its pin, and checks each library in its folder and each other pinned
// file that is not a plugin. The error, a *host.PluginError, states what was found, what is pinned and what to do.
func (l *Lock) Approve(path string, binary io.Reader) error {
	sum, _, err := checksum.Contents(binary)
	if err != nil {
		return refusalError(path, "it was not started: "+err.Error(), "", err)
	}
	if found, hint := l.judgeSum(path, sum); found != "" {
		return refusalError(path, "it was not started: "+found, hint)
	}
	if faults := l.checkCompanions(path); len(faults) > 0 {
		return refusalError(path, "it was not started: "+strings.Join(faults, "; "),
			fmt.Sprintf("if you know that these files are right, `harness trust %s` pins the plugin with the libraries beside "+
				"it; `harness trust --remove FILE` forgets a file", path))
	}
	return nil
}

// judgeSum returns the fault of a plugin binary's checksum and a remedy, or empty texts if it equals the pin.
func (l *Lock) judgeSum(path, sum string) (found, hint string) {
	want, pinned := l.Pin(path)
	switch {
	case !pinned:
		return fmt.Sprintf("it has no pin in %s; its sha256 is %s", l.Path, sum),
			fmt.Sprintf("if you know where it is from, `harness trust %s` adds one", path)
	case want != sum:
		return fmt.Sprintf("its sha256 is %s, %s pins %s", sum, l.Path, want),
			fmt.Sprintf("if you built or installed it anew, `harness trust %s` updates the pin; if not, somebody has "+
				"changed the file", path)
	}
	return "", ""
}

// checkCompanions returns the faults of the files that the plugin at path may load.
func (l *Lock) checkCompanions(path string) (faults []string) {
	beside, err := Libraries(path)
	if err != nil {
		return []string{err.Error()}
	}
	files := slices.DeleteFunc(l.Paths(), isPlugin)
	for _, library := range beside {
		if !slices.Contains(files, library) {
			files = append(files, library)
		}
	}
	for _, file := range files {
		if fault := l.Check(file); fault != "" {
			faults = append(faults, fault)
		}
	}
	return faults
}

// Check returns the fault of a file, a plugin or another one, or an empty text if its checksum equals the pin.
func (l *Lock) Check(path string) string {
	sum, _, err := checksum.File(path)
	want, pinned := l.Pin(path)
	switch {
	case err != nil:
		return "a pinned file cannot be read: " + err.Error()
	case !pinned:
		return fmt.Sprintf("%s lies beside it and has no pin in %s; its sha256 is %s", path, l.Path, sum)
	case want != sum:
		return fmt.Sprintf("the sha256 of %s is %s, %s pins %s", path, sum, l.Path, want)
	}
	return ""
}

func refusalError(path, found, hint string, causes ...error) *host.PluginError {
	name := strings.TrimPrefix(filepath.Base(path), host.BinaryPrefix)
	return &host.PluginError{Kind: host.KindStart, Plugin: name, Path: path, Found: found, Hint: hint,
		Err: errors.Join(append(causes, ErrRefused)...)}
}
