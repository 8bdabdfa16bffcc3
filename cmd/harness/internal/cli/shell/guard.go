package shell

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/trust"
)

// LockPath returns the path of the lock file: --lock, or the file in the user's settings folder.
func (a *App) LockPath(f *PluginFlags) (string, error) {
	if f.lock != "" {
		return f.lock, nil
	}
	dir, err := configDir(a.Env)
	return filepath.Join(dir, trust.FileName), err
}

// ReadPins reads the lock file. If it is missing, it returns an empty one in memory.
func (a *App) ReadPins(f *PluginFlags) (*trust.Lock, error) {
	path, err := a.LockPath(f)
	if err != nil {
		return nil, err
	}
	lock, err := trust.Load(path)
	if trust.Missing(err) {
		return trust.NewLock(path), nil
	}
	return lock, err
}

// RestrictPlugins restricts the plugins to those that match the lock file, if one exists. A file named by --lock must
// exist.
func (a *App) RestrictPlugins(f *PluginFlags) error {
	a.warnExposed(f)
	path, err := a.LockPath(f)
	if err != nil {
		return nil // there is no settings folder, so there is no lock file
	}
	lock, err := trust.Load(path)
	if trust.Missing(err) && f.lock == "" {
		return nil
	}
	if err != nil {
		return err
	}
	a.Plugins = trust.Guard{Launcher: a.Plugins, Lock: lock}
	for _, name := range lock.Withheld(a.Env) {
		fmt.Fprintf(a.Stderr,
			"%s is not passed on to pinned plugins, as it could bring other libraries in (harness trust --env %s "+
				"passes it on)\n", name, name)
	}
	return nil
}

// warnExposed prints a warning about plugins that other users can change, pinned or not.
func (a *App) warnExposed(f *PluginFlags) {
	faults := a.ListExposed(f)
	if len(faults) == 0 {
		return
	}
	more := ""
	if n := len(faults) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more: harness doctor)", n)
	}
	fmt.Fprintf(a.Stderr, "warning: %s%s: who changes plugins or their libraries decides what runs as you\n",
		faults[0], more)
}

// ListExposed returns the reasons why other users can change files and folders of the plugins.
func (a *App) ListExposed(f *PluginFlags) (faults []string) {
	binaries, err := a.PluginSettings(f).Binaries("")
	if err != nil {
		return nil // the command itself reports the error
	}
	for _, b := range binaries {
		for _, fault := range trust.ExposureFaults(b.Path) {
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}
