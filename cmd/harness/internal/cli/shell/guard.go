package shell

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/trust"
)

// LockPath is the lock file that counts: --lock, else the one in the user's folder of settings.
func (a *App) LockPath(f *PluginFlags) (string, error) {
	if f.lock != "" {
		return f.lock, nil
	}
	dir, err := configDir(a.Env)
	return filepath.Join(dir, trust.FileName), err
}

// Pins reads the lock file, or makes a new one in memory.
func (a *App) Pins(f *PluginFlags) (*trust.Lock, error) {
	path, err := a.LockPath(f)
	if err != nil {
		return nil, err
	}
	lock, err := trust.Load(path)
	if trust.Missing(err) {
		return trust.New(path), nil
	}
	return lock, err
}

// Guard lets plugins be started only as the lock file says, where there is one. One that the user named must be there.
func (a *App) Guard(f *PluginFlags) error {
	a.warnExposed(f)
	path, err := a.LockPath(f)
	if err != nil {
		return nil // no folder for settings: nobody can have put a file there
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

// warnExposed warns in a line of plugins that others may change, whether they are pinned or not.
func (a *App) warnExposed(f *PluginFlags) {
	faults := a.Exposed(f)
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

// Exposed says of each file and folder of the plugins that others may change why they may.
func (a *App) Exposed(f *PluginFlags) (faults []string) {
	binaries, err := a.PluginsOf(f).Binaries("")
	if err != nil {
		return nil // the command itself will say so
	}
	for _, b := range binaries {
		for _, fault := range trust.Exposed(b.Path) {
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}
