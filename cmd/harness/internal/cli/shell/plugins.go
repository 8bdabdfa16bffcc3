package shell

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// PluginFlags contains the flags for finding and watching plugins.
type PluginFlags struct {
	Asked  bench.Request // only its plugin fields are used
	lock   string        // path of a lock file; empty: the user's
	limits []string
	// TimeoutGiven is true if the user set the time without progress, which may be unlimited.
	TimeoutGiven bool
}

// answerTimeout is the flag for the maximum time without progress.
const answerTimeout = "--answer-timeout"

// Add adds the flags.
func (f *PluginFlags) Add(global *pflag.FlagSet) {
	addGroup(global, &f.Asked, bench.PluginFlags)
	global.StringVar(&f.lock, "lock", "",
		"start only plugins that are pinned in `FILE`\n(default: the pins of harness trust, if there are any)")
	global.StringSliceVar(&f.limits, "limit", nil,
		"end a plugin whose processes together use more than `LIMIT,...`:\nmemory=8GiB, processes=64, cpu=30m; files=1024 "+
			"applies to each process")
}

// Check reads the values of the flags.
func (f *PluginFlags) Check(c *cobra.Command) error {
	f.TimeoutGiven = c.Flags().Changed(answerTimeout[len("--"):])
	return sdk.Usage(errors.Join(rejectPluginFlags(c), f.checkFolders(), rejectZeros(c), rejectEmptyPaths(c),
		f.startTimeout(c),
		f.readLimits(c)))
}

// rejectEmptyPaths rejects an empty value of a flag for a file or a folder, because it does not mean the same as
// omitting the flag.
func rejectEmptyPaths(c *cobra.Command) error {
	var faults []error
	c.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		if slices.Contains([]string{"DIR", "FILE", "FOLDER", "PATH"}, what) && f.Value.String() == "" {
			faults = append(faults, fmt.Errorf("--%s: its value is empty; want --%[1]s %s, or leave it out", f.Name, what))
		}
	})
	return errors.Join(faults...)
}

// checkFolders requires that the folder of --plugin-dir exists.
func (f *PluginFlags) checkFolders() error {
	var faults []error
	for _, dir := range f.Asked.Plugins.Dirs {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", dir)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--plugin-dir: %w", err))
		}
	}
	return errors.Join(faults...)
}

// startTimeout checks --plugin-start-timeout.
func (f *PluginFlags) startTimeout(c *cobra.Command) error {
	if d := f.Asked.Plugins.Launch.StartTimeout; d < 0 || d == 0 && c.Flags().Changed("plugin-start-timeout") {
		return fmt.Errorf("--plugin-start-timeout %v: want a duration above 0", d)
	}
	return nil
}

// readLimits parses --limit.
func (f *PluginFlags) readLimits(c *cobra.Command) (err error) {
	switch longest := f.Asked.Plugins.Launch.AnswerTimeout; {
	case longest < 0:
		return fmt.Errorf("%s %v: want a duration, or 0 to wait for ever", answerTimeout, longest)
	case len(f.limits) == 0:
		return nil
	case !host.LimitsSupported:
		return fmt.Errorf("--limit: %w; use the system's own limits", host.ErrNoLimits)
	case c.Name() == VerifyName && c.Parent() == c.Root(): // dataset verify and audit verify start plugins like runs
		return errors.New("--limit: verify takes none, since it measures what a plugin uses by itself")
	}
	if f.Asked.Plugins.Launch.Limits, err = parseLimits(f.limits); err != nil {
		return fmt.Errorf("--limit: %w", err)
	}
	return nil
}

// pluginAnnotation marks the commands to which the flags of plugins apply, with their subcommands.
const pluginAnnotation = "plugins"

// MarkPluginCommand marks a command and its subcommands as users of the flags of plugins.
func MarkPluginCommand(c *cobra.Command) { c.Annotations = map[string]string{pluginAnnotation: "yes"} }

// HasPlugins reports whether a command uses plugins.
func HasPlugins(c *cobra.Command) bool {
	for ; c != nil; c = c.Parent() {
		if c.Annotations[pluginAnnotation] != "" {
			return true
		}
	}
	return false
}

// rejectPluginFlags rejects plugin flags on a command that uses no plugins.
func rejectPluginFlags(c *cobra.Command) error {
	if HasPlugins(c) {
		return nil
	}
	var faults []error
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Annotations[generalAnnotation] == nil {
			faults = append(faults, fmt.Errorf("--%s: %s starts no plugin; leave the flag out", f.Name, c.CommandPath()))
		}
	})
	return errors.Join(faults...)
}

// PluginSettings returns the plugin settings from the flags, the environment and the location of the harness.
func (a *App) PluginSettings(f *PluginFlags) bench.Plugins {
	p := bench.Plugins{
		Dirs: f.Asked.Plugins.Dirs, List: a.Env(discover.EnvPlugins), Executable: a.Executable, Name: f.Asked.Plugins.Name,
		Launcher: a.Plugins, Launch: f.Asked.Plugins.Launch,
	}
	if f.TimeoutGiven && f.Asked.Plugins.Launch.AnswerTimeout == 0 {
		p.Launch.AnswerTimeout = -1
	}
	return p
}

// Catalog finds the plugins and reads their descriptions.
func (a *App) Catalog(c *cobra.Command, f *PluginFlags) (*discover.Catalog, error) {
	return a.PluginSettings(f).Discover(c.Context())
}

// ReportBroken reports the plugins that did not describe themselves. If none did, it returns an error.
func (a *App) ReportBroken(catalog *discover.Catalog) error {
	answered := false
	var first error
	for _, e := range catalog.Entries {
		if e.Err == nil {
			answered = true
			continue
		}
		if first == nil {
			first = e.Err
		}
	}
	if !answered {
		return first
	}
	for _, e := range catalog.Entries {
		if e.Err != nil {
			fmt.Fprintf(a.Stderr, "\nplugin %s is left out: %v\n", e.Name, e.Err)
		}
	}
	return nil
}

// VerifyName is the name of the command verify.
const VerifyName = "verify"
