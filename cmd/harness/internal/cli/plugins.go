package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/limit"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// pluginFlags say where plugins are found and how they are watched.
type pluginFlags struct {
	dirs   []string
	choice string
	lock   string // path of a lock file; empty: the user's
	limits []string
	launch host.LaunchOptions
	// patient: the user said how long nothing may get on, for ever perhaps.
	patient bool
}

// answerTimeout is the flag that bounds how long nothing gets on.
const answerTimeout = "--answer-timeout"

// add adds the flags.
func (f *pluginFlags) add(global *pflag.FlagSet) {
	global.StringArrayVar(&f.dirs, "plugin-dir", nil, "look for plugins in `DIR` first (repeatable)")
	global.StringVar(&f.choice, "plugin", "", "use only this plugin: `NAME` or path of a binary")
	global.StringVar(&f.lock, "lock", "",
		"start only the plugins that are pinned in this `FILE`\n(default: the pins of harness trust, if there are any)")
	global.DurationVar(&f.launch.StartTimeout, "plugin-start-timeout", 0,
		"a plugin must shake hands within `DURATION` of its start (default 30s;\nthe process of a backend has "+
			"--backend-opt start_timeout=DURATION)")
	global.DurationVar(&f.launch.HeartbeatTimeout, "heartbeat-timeout", 0,
		"treat a plugin as hung if it is silent for longer than `DURATION` (default 30s)")
	global.DurationVar(&f.launch.AnswerTimeout, answerTimeout[len("--"):], 0,
		"treat a plugin as hung if it makes no progress for `DURATION`: no batch,\nno token; 0: wait for "+
			"ever (default "+bench.UsualAnswerTimeout.String()+" in smoke runs\nand verify, else 0)")
	global.StringSliceVar(&f.limits, "limit", nil,
		"end a plugin whose processes together use more than `LIMIT,...`:\nmemory=8GiB, processes=64, cpu=30m; files=1024 "+
			"is of each process")
}

// check reads what the flags say to a command.
func (f *pluginFlags) check(c *cobra.Command) error {
	f.patient = c.Flags().Changed(answerTimeout[len("--"):])
	return sdk.Usage(errors.Join(ofPlugins(c), f.startTimeout(c), f.limit(c)))
}

// startTimeout checks --plugin-start-timeout.
func (f *pluginFlags) startTimeout(c *cobra.Command) error {
	if d := f.launch.StartTimeout; d < 0 || d == 0 && c.Flags().Changed("plugin-start-timeout") {
		return fmt.Errorf("--plugin-start-timeout %v: want a duration above 0", d)
	}
	return nil
}

// limit reads --limit.
func (f *pluginFlags) limit(c *cobra.Command) (err error) {
	switch {
	case f.launch.AnswerTimeout < 0:
		return fmt.Errorf("%s %v: want a duration, or 0 to wait for ever", answerTimeout, f.launch.AnswerTimeout)
	case len(f.limits) == 0:
		return nil
	case !host.LimitsSupported:
		return fmt.Errorf("--limit: %w; use the system's own limits", host.ErrNoLimits)
	case c.Name() == verifyName && c.Parent() == c.Root(): // dataset verify and audit verify start plugins as runs do
		return errors.New("--limit: verify takes none, since it measures what a plugin uses by itself")
	}
	if f.launch.Limits, err = limit.Parse(f.limits); err != nil {
		return fmt.Errorf("--limit: %w", err)
	}
	return nil
}

// pluginAnnotation marks the commands that the flags of plugins mean something to, with those below them.
const pluginAnnotation = "plugins"

func concernsPlugins(c *cobra.Command) { c.Annotations = map[string]string{pluginAnnotation: "yes"} }

// hasPlugins says whether a command has to do with plugins.
func hasPlugins(c *cobra.Command) bool {
	for ; c != nil; c = c.Parent() {
		if c.Annotations[pluginAnnotation] != "" {
			return true
		}
	}
	return false
}

// ofPlugins refuses flags of plugins that would mean nothing.
func ofPlugins(c *cobra.Command) error {
	if hasPlugins(c) {
		return nil
	}
	var faults []error
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			faults = append(faults, fmt.Errorf("--%s: %s starts no plugin; leave the flag out", f.Name, c.CommandPath()))
		}
	})
	return errors.Join(faults...)
}

// plugins are those that the flags, the environment and the place of the harness name.
func (a *app) plugins(f *pluginFlags) bench.Plugins {
	p := bench.Plugins{
		Dirs: f.dirs, List: a.Env(discover.EnvPlugins), Executable: a.Executable, Name: f.choice,
		Launcher: a.Plugins, Launch: f.launch,
	}
	if f.patient && f.launch.AnswerTimeout == 0 {
		p.Launch.AnswerTimeout = -1
	}
	return p
}

// catalog finds the plugins and asks what they serve.
func (a *app) catalog(c *cobra.Command, f *pluginFlags) (*discover.Catalog, error) {
	return a.plugins(f).Find(c.Context())
}

// broken names the plugins that could not be asked. Where none could, that is the command's failure.
func (a *app) broken(catalog *discover.Catalog) error {
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

// verifyName is the command's.
const verifyName = "verify"
