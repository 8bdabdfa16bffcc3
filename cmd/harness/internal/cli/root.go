package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/limit"
)

const rootHelp = `Plumbline runs machine-learning inference benchmarks: it loads a benchmark as a plugin, drives it
with a LoadGen compatible with MLPerf Inference's, and judges the run.

  harness list                  what can be run
  harness run resnet50          run it, with nothing else needed
  harness doctor                is this machine ready?

Exit codes: 0 VALID, 1 internal error, 2 usage or settings, 3 INVALID, 4 accuracy below target, 5 plugin failed,
6 model or data missing or wrong, 130 interrupted.`

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

// command builds the command tree.
func (a *app) command() *cobra.Command {
	var flags pluginFlags
	root := &cobra.Command{
		Use: "harness", Long: rootHelp, SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error { return unknownCommand(c, args) },
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			flags.patient = c.Flags().Changed(answerTimeout[len("--"):])
			return sdk.Usage(errors.Join(ofPlugins(c), flags.startTimeout(c), flags.limit(c)))
		},
	}
	root.SetArgs(a.Args)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return sdk.Usage(fmt.Errorf("%w%s; see %s --help", plainly(err), nearFlag(c, err), c.CommandPath()))
	})
	global := root.PersistentFlags()
	global.StringArrayVar(&flags.dirs, "plugin-dir", nil, "look for plugins in `DIR` first (repeatable)")
	global.StringVar(&flags.choice, "plugin", "", "use only this plugin: `NAME` or path of a binary")
	global.StringVar(&flags.lock, "lock", "",
		"start only the plugins that are pinned in this `FILE`\n(default: the pins of harness trust, if there are any)")
	global.DurationVar(&flags.launch.StartTimeout, "plugin-start-timeout", 0,
		"a plugin must shake hands within `DURATION` of its start (default 30s;\nthe process of a backend has "+
			"--backend-opt start_timeout=DURATION)")
	global.DurationVar(&flags.launch.HeartbeatTimeout, "heartbeat-timeout", 0,
		"treat a plugin as hung if it is silent for longer than `DURATION` (default 30s)")
	global.DurationVar(&flags.launch.AnswerTimeout, answerTimeout[len("--"):], 0,
		"treat a plugin as hung if it makes no progress for `DURATION`: no batch,\nno token; 0: wait for "+
			"ever (default "+bench.UsualAnswerTimeout.String()+" in smoke runs\nand verify, else 0)")
	global.StringSliceVar(&flags.limits, "limit", nil,
		"end a plugin whose processes together use more than `LIMIT,...`:\nmemory=8GiB, processes=64, cpu=30m; files=1024 "+
			"is of each process")
	starting := []*cobra.Command{
		a.listCommand(&flags), a.describeCommand(&flags), a.settingsCommand(&flags), a.doctorCommand(&flags),
		a.runCommand(&flags), a.scoreCommand(&flags), a.verifyCommand(&flags), a.fetchCommand(&flags), a.tuneCommand(&flags),
		a.auditCommand(&flags), a.datasetCommand(&flags),
	}
	// the others start no plugin: a damaged lock file is nothing to them, and trust says what is wrong with it
	for _, c := range starting {
		c.PreRunE = func(*cobra.Command, []string) error { return a.guard(&flags) }
		concernsPlugins(c)
	}
	trust := a.trustCommand(&flags)
	concernsPlugins(trust)
	root.AddCommand(append(starting, a.compareCommand(), a.reportCommand(), a.newCommand(), trust,
		a.submissionCommand(&flags), a.versionCommand())...)
	checkArguments(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		global.VisitAll(func(f *pflag.Flag) { f.Hidden = c != root && !hasPlugins(c) })
		help(c, args)
	})
	return root
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

// checkArguments lets what a command and those below it say of their arguments be wrong usage.
func checkArguments(c *cobra.Command) {
	for _, below := range c.Commands() {
		checkArguments(below)
	}
	check := c.Args
	if check == nil {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error { return sdk.Usage(check(c, args)) }
}

// answerTimeout is the flag that bounds how long nothing gets on.
const answerTimeout = "--answer-timeout"

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

func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return suggest.Unknown("command", args[0], names)
}

// plainly says what a flag's value must be, where the error would name the function of Go that could not read it.
func plainly(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	want := map[string]string{
		"int": "a whole number", "int64": "a whole number", "intSlice": "whole numbers with commas between them",
		"duration": "a duration such as 90s or 1h30m", "bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

// nearFlag suggests a flag in the place of an unknown one.
func nearFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Sprintf("; did you mean --%s?", near)
	}
	return ""
}

// oneArgument wants exactly one argument and says what it is.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return fmt.Errorf("%s: %s is missing; see %s --help", c.CommandPath(), what, c.CommandPath())
		case len(args) > 1:
			return fmt.Errorf("%s: %q are %d arguments, want one: %s", c.CommandPath(), args, len(args), what)
		}
		return nil
	}
}

func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, %q was given", c.CommandPath(), args)
	}
	return nil
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

// Tree is the command tree by itself, for documents that are made of it. Its commands do not run.
func Tree() *cobra.Command { return (&app{State: &State{}}).command() }
