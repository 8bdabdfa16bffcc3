package machine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/doctor"
	"github.com/plumbline-ml/plumbline/internal/trust"
)

const trustHelp = `Pin plugins and the libraries in their folders by SHA-256. Once a pin exists, the harness refuses
plugins without a pin, with another checksum or with other libraries. This command executes nothing.

  harness trust resnet50                  pin a plugin and its libraries, or update the pins after a new build
  harness trust ./plumbline-plugin-acme   the same for a binary that is not installed
  harness trust --all                     every plugin that is found
  harness trust acme --with FILE          pin a plugin and another file, such as a module or a model
  harness trust --env LD_LIBRARY_PATH     pass a variable that could load other libraries to pinned plugins
  harness trust --remove resnet50         remove a pin
  harness trust                           list the pins, and whether the files still match

The pins are in plugins.lock in the folder of PLUMBLINE_CONFIG, by default ~/.config/plumbline; --lock FILE names
another file. Remove the file to run any plugin again. SECURITY.md describes what pins protect against.`

// trustName is the name of the command.
const trustName = "trust"

// trustFlags contains the flags of trust.
type trustFlags struct {
	*shell.PluginFlags
	all, remove bool
	with, env   []string
}

// TrustCommand returns the command "harness trust".
func TrustCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	t := &trustFlags{PluginFlags: f}
	c := &cobra.Command{
		Use: trustName + " [PLUGIN...]", Short: "Pin plugin binaries by checksum; others are refused", Long: trustHelp,
		RunE: func(c *cobra.Command, args []string) error { return a.runTrust(c.Context(), args, t) },
	}
	c.Flags().BoolVar(&t.all, "all", false, "pin every plugin found")
	c.Flags().StringArrayVar(&t.with, "with", nil,
		"also pin this `FILE`: plugins start only if it is unchanged (repeatable)")
	c.Flags().StringArrayVar(&t.env, "env", nil,
		"pass this `VARIABLE` of loaders to pinned plugins, such as LD_LIBRARY_PATH (repeatable)")
	c.Flags().BoolVar(&t.remove, "remove", false, "remove the pins of the plugins")
	return c
}

func (a *app) runTrust(ctx context.Context, args []string, f *trustFlags) error {
	if err := f.checkFlags(args); err != nil {
		return sdk.Usage(err)
	}
	if len(args) == 0 && !f.all && len(f.with)+len(f.env) == 0 {
		lock, err := a.ReadPins(f.PluginFlags)
		if err != nil {
			return err
		}
		return a.listPins(lock)
	}
	return a.changePins(ctx, args, f)
}

// checkFlags rejects flags that conflict.
func (f *trustFlags) checkFlags(args []string) error {
	switch {
	case f.all && (f.remove || len(args) > 0):
		return errors.New("trust --all takes neither a plugin nor --remove")
	case f.remove && len(f.with) > 0:
		return errors.New("trust --remove takes the files without --with")
	case f.remove && len(args)+len(f.env) == 0:
		return errors.New("trust --remove: which plugin? harness trust lists the pins")
	}
	return nil
}

// changePins reads, changes and writes the lock file. It excludes other processes meanwhile.
func (a *app) changePins(ctx context.Context, args []string, f *trustFlags) error {
	path, err := a.LockPath(f.PluginFlags)
	if err != nil {
		return err
	}
	release, err := trust.Hold(ctx, path)
	if err != nil {
		return err
	}
	defer release()
	lock, err := a.ReadPins(f.PluginFlags)
	if err != nil {
		return err
	}
	binaries, err := a.findBinaries(args, lock, f)
	if err != nil {
		return err
	}
	changes, err := f.changePins(lock, binaries)
	if err != nil {
		return err
	}
	if err := lock.Save(); err != nil { // save before reporting the changes
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, strings.Join(changes, "\n"))
	return err
}

// changePins changes the pins in memory and returns one line per change.
func (f *trustFlags) changePins(lock *trust.Lock, binaries []host.FoundPlugin) (changes []string, err error) {
	change := pinPlugin
	if f.remove {
		change = unpinFile
	}
	for _, b := range binaries {
		lines, err := change(lock, b.Path)
		if err != nil {
			return nil, err
		}
		changes = append(changes, lines...)
	}
	for _, file := range f.with {
		line, err := pinFile(lock, file)
		if err != nil {
			return nil, err
		}
		changes = append(changes, line)
	}
	for _, name := range f.env {
		line, err := setVariable(lock, name, !f.remove)
		if err != nil {
			return nil, err
		}
		changes = append(changes, line)
	}
	return changes, nil
}

// setVariable allows or forbids pinned plugins an environment variable of the dynamic loader.
func setVariable(lock *trust.Lock, name string, yes bool) (change string, err error) {
	if !trust.IsLoaderVariable(name) {
		return "", sdk.Usage(fmt.Errorf("--env %s: pinned plugins lack these only: %s", name,
			strings.Join(trust.LoaderVariables(), ", ")))
	}
	if lock.Allow(name, yes); !yes {
		return "removed  " + name, nil
	}
	return "passed on  " + name, nil
}

// findBinaries returns the named plugins, or all. To remove a pin, the file need not exist: its path is enough, or its
// name in the working folder if it is not a plugin.
func (a *app) findBinaries(args []string, lock *trust.Lock, f *trustFlags) ([]host.FoundPlugin, error) {
	dirs := discover.Dirs(f.Asked.Plugins.Dirs, a.Env(discover.EnvPlugins), a.Executable)
	if f.all {
		args = []string{""}
	}
	var all []host.FoundPlugin
	for _, name := range args {
		if f.remove && filepath.Base(name) != name {
			all = append(all, host.FoundPlugin{Name: filepath.Base(name), Path: name})
			continue
		}
		found, err := discover.Binaries(a.Plugins, dirs, name)
		if _, pinned := lock.Pin(name); err != nil && f.remove && pinned {
			found, err = []host.FoundPlugin{{Name: name, Path: name}}, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 && (f.all || len(args) > 0) {
		return nil, (&discover.Catalog{Dirs: dirs}).None()
	}
	return all, nil
}

// unpinFile removes the pin of a file.
func unpinFile(lock *trust.Lock, path string) (changes []string, err error) {
	for _, p := range lock.Remove(path) {
		changes = append(changes, "removed  "+p)
	}
	if len(changes) == 0 {
		return nil, sdk.Usage(fmt.Errorf("%s has no pin in %s", path, lock.Path))
	}
	return changes, nil
}

// pinPlugin pins a plugin and the libraries in its folder.
func pinPlugin(lock *trust.Lock, path string) (changes []string, err error) {
	libraries, err := trust.Libraries(path)
	if err != nil {
		return nil, plugin.Fault(err)
	}
	for _, file := range append([]string{path}, libraries...) {
		change, err := pinFile(lock, file)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	return changes, nil
}

func pinFile(lock *trust.Lock, path string) (change string, err error) {
	sum, _, err := checksum.File(path)
	if err != nil {
		return "", plugin.Fault(fmt.Errorf("cannot be pinned: %w", err))
	}
	what := "pinned"
	switch old, found := lock.Pin(path); {
	case found && old == sum:
		what = "as it was"
	case found:
		what = "updated"
	}
	if err := lock.Set(path, sum); err != nil {
		return "", sdk.Usage(err)
	}
	return fmt.Sprintf("%s  %s  %s", what, sum, path), nil
}

// listPins prints the pins. It returns an error if a file does not match its pin.
func (a *app) listPins(lock *trust.Lock) error {
	switch {
	case !lock.Exists():
		_, err := fmt.Fprintf(a.Stdout, "there is no %s: every plugin that is found may be started\n", lock.Path)
		return err
	case len(lock.Paths()) == 0:
		_, err := fmt.Fprintf(a.Stdout, "%s is empty: no plugin is started\n", lock.Path)
		return err
	}
	fmt.Fprintf(a.Stdout, "%s\n\n", lock.Path)
	var t table.Table
	bad := false
	for _, path := range lock.Paths() {
		sum, _ := lock.Pin(path)
		state := "ok"
		if lock.Check(path) != "" {
			state, bad = "NOT THE SAME", true
		}
		t.Row(terminal.StyleVerdict(state), sum, path)
	}
	if _, err := t.WriteTo(a.Stdout); err != nil {
		return err
	}
	if bad {
		return &exitcode.Outcome{Code: exitcode.Plugin}
	}
	return nil
}

// exposedCheck lists the files that other users can change.
func (a *app) exposedCheck(f *shell.PluginFlags) doctor.Check {
	c := doctor.Check{Name: "files", State: doctor.OK, Found: "only you may change those of plugins"}
	if faults := a.ListExposed(f); len(faults) > 0 {
		c.State, c.Found = doctor.Warn, strings.Join(faults, "; ")
		c.Advice = "who changes plugins or their libraries decides what runs as you: give the files and folders to " +
			"yourself or root"
	}
	return c
}

// trustCheck reports whether plugins are pinned.
func (a *app) trustCheck(f *shell.PluginFlags) doctor.Check {
	c := doctor.Check{Name: "pins", State: doctor.OK}
	lock, err := a.ReadPins(f)
	switch {
	case err != nil: // a damaged file has already ended the command
		c.State, c.Found = doctor.Warn, err.Error()
		return c
	case !lock.Exists():
		c.Found = "none, " + lock.Path +
			" does not exist: every plugin that is found may be started (harness trust --all pins them)"
		return c
	}
	c.Found = fmt.Sprintf("%d in %s: no other plugin is started", len(lock.Paths()), lock.Path)
	for _, path := range lock.Paths() {
		if lock.Check(path) != "" {
			c.State, c.Advice = doctor.Warn, "harness trust lists those that do not match"
		}
	}
	return c
}
