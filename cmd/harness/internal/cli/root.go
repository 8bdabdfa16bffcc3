// Package cli builds the tree of commands. The packages below it implement the commands; package shell contains what
// they share.
package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/author"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/catalog"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/compliance"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/machine"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/results"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/tune"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

const rootHelp = `Plumbline runs machine-learning inference benchmarks: it loads a benchmark as a plugin, drives it
with a LoadGen compatible with MLPerf Inference's, and judges the run.

  harness list                  list the models
  harness run resnet50          run one benchmark
  harness doctor                is this machine ready?
  harness bench http://HOST     measure a server of language models

Exit codes: 0 VALID, 1 internal error, 2 usage or settings, 3 INVALID, 4 accuracy below target, 5 plugin failed,
6 model or data missing or wrong, 130 interrupted.`

// newCommand returns the command tree.
func newCommand(a *shell.App) *cobra.Command {
	var flags shell.PluginFlags
	root := &cobra.Command{
		Use: "harness", Long: rootHelp, SilenceErrors: true, SilenceUsage: true, Version: versionText(),
		Args: func(c *cobra.Command, args []string) error { return shell.RejectUnknownCommand(c, args) },
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			a.DefaultRuntime(&flags)
			return flags.Check(c)
		},
	}
	root.Flags().Bool("version", false, "print the version of the harness")
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetArgs(a.Args)
	root.SetOut(a.Data)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) { // --help-all
			return pflag.ErrHelp
		}
		return sdk.Usage(fmt.Errorf("%w%s; see %s --help", shell.ExplainFlagError(err), suggestFlag(c, err), c.CommandPath()))
	})
	global := root.PersistentFlags()
	flags.Add(global)
	shell.AddGeneralFlags(global, a)
	type making = func(*shell.App, *shell.PluginFlags) *cobra.Command
	for _, command := range []making{
		catalog.ListCommand, catalog.DescribeCommand, runs.SettingsCommand, machine.DoctorCommand, runs.Command,
		results.ScoreCommand, author.VerifyCommand, catalog.FetchCommand, tune.Command, compliance.Command,
		catalog.DatasetCommand,
	} {
		c := command(a, &flags)
		c.PreRunE = func(*cobra.Command, []string) error { return a.RestrictPlugins(&flags) }
		shell.MarkPluginCommand(c)
		root.AddCommand(c)
	}
	// other commands start no plugins, so a damaged lock file does not affect them; trust reports its fault
	trust := machine.TrustCommand(a, &flags)
	shell.MarkPluginCommand(trust)
	root.AddCommand(results.CompareCommand(a), results.HistoryCommand(a), results.RankCommand(a),
		results.ReportCommand(a), author.NewCommand(a),
		trust, submission.Command(a, &flags), serving.BenchCommand(a, &flags), serving.ProbeCommand(a),
		explainCommand(a), versionCommand(a))
	rejectUnknownNames(root)
	checkArguments(root)
	completer{a, &flags}.completeTree(root)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.ShowHelp(c) })
	return root
}

// rejectUnknownNames makes the library's commands help and completion reject unknown names.
func rejectUnknownNames(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = shell.RejectUnknownCommand(found, rest)
				}
				return err
			}
		case "completion":
			c.Args, c.RunE = shell.RejectUnknownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// checkArguments turns argument errors of a command and its subcommands into usage errors.
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

// suggestFlag suggests the flag most similar to an unknown one.
func suggestFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	if short, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "="); len(short) > 1 &&
		c.Flags().Lookup(short) != nil {
		return fmt.Sprintf("; did you mean --%s, with two dashes?", short)
	}
	if takesAddress(c) && slices.Contains(addressFlags, unknown.GetSpecifiedName()) {
		return fmt.Sprintf("; the address is an argument: %s http://HOST:PORT", c.CommandPath())
	}
	if ours := foreignFlags[unknown.GetSpecifiedName()]; ours != "" && c.Flags().Lookup(ours) != nil {
		return fmt.Sprintf("; did you mean --%s?", ours)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Sprintf("; did you mean --%s?", near)
	}
	return ""
}

// takesAddress reports whether the argument of a command is the address of a server.
func takesAddress(c *cobra.Command) bool { return strings.Contains(c.Use, "URL") }

// foreignFlags maps the flags of other programs that measure servers to our flags. A single letter is a short flag.
var foreignFlags = map[string]string{
	"users": "concurrency", "max-concurrency": "concurrency", "num-users": "concurrency",
	"connections": "concurrency", "threads": "concurrency", "clients": "concurrency", "vus": "concurrency",
	"c": "concurrency", "t": "concurrency", "qps": "rate", "rps": "rate", "request-rate": "rate", "q": "rate",
	"R": "rate", "num-prompts": "requests", "num-requests": "requests", "request-count": "requests",
	"max-requests": "requests", "iterations": "requests", "n": "requests", "max-seconds": "duration",
	"time": "duration", "benchmark-duration": "duration", "d": "duration", "z": "duration", "num-warmups": "warmup",
	"warmup-request-count": "warmup", "warmup-requests": "warmup", "benchmark-grace-period": "grace",
	"input-len": "isl", "random-input-len": "isl", "synthetic-input-tokens-mean": "isl", "prompt-tokens": "isl",
	"output-len": "osl", "random-output-len": "osl", "output-tokens-mean": "osl", "output-tokens": "osl",
	"sharegpt-output-len": "osl", "random-prefix-len": "prefix", "prefix-prompt-length": "prefix",
	"num-prefix-prompts": "prefix", "dataset-path": "data", "dataset": "data", "dataset-name": "data",
	"input-file": "data", "custom-dataset-path": "data", "fixed-schedule": "replay", "request-rate-mode": "arrival",
	"arrival-pattern": "arrival", "goodput": "slo", "rate-type": "sweep", "profile": "sweep", "endpoint-type": "api",
	"streaming": "stream", "extra-inputs": "body", "extra-body": "body", "H": "header", "lora-modules": "lora",
	"processor": "tokenizer", "served-model-name": "model", "m": "model", "random-seed": "seed",
	"ready-check-timeout-sec": "wait", "output-dir": "out", "artifact-dir": "out", "result-dir": "out",
	"output-path": "out", "save-result": "out", "o": "out", "disable-tqdm": "quiet", "max-error-rate": "max-errors",
}

// addressFlags contains the flags by which other programs take the address of the server.
var addressFlags = []string{"url", "u", "target", "base-url", "host"}

// Main runs one command and returns the exit code. Only Main prints errors.
func Main(ctx context.Context, s *shell.State) int { return shell.Main(ctx, s, newCommand) }

// CommandTree returns the command tree for generated documents. Its commands cannot run.
func CommandTree() *cobra.Command { return newCommand(&shell.App{State: &shell.State{}}) }

func versionCommand(a *shell.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of the harness", Args: shell.RejectArguments,
		Example: "  harness version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Stdout, versionText())
			return err
		},
	}
}

// versionText returns the output of --version.
func versionText() string {
	v := shell.Version()
	text := "harness " + v.Version
	if v.Commit != "" {
		text += " (" + v.Commit + ")"
	}
	return fmt.Sprintf("%s, %s %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
