// Package runs implements harness run for one model, several backends in turn, suites, and MLMark's configurations. It
// also prints runs for audits and submissions, and contains the settings of runs.
package runs

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/observe"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const runHelp = `Run a model's benchmark.

Without flags it runs the plugin's embedded model on its own data in every scenario of the rules, with short settings
("smoke": seconds instead of minutes), and measures accuracy once. With --model and --dataset it makes a full run with
the rules' durations and counts.

  harness run resnet50                                     a check in seconds
  harness run resnet50 --scenario Offline --mode accuracy  one scenario, its accuracy
  harness run resnet50 --model resnet50_v1.onnx --dataset imagenet --scenario Server
                                                           a full run, ten minutes
  harness run resnet50 --set Server.target_qps=500 --dry-run
                                                           show all settings, run nothing
  harness run resnet50 mobilenet bert-99                   several models, as a suite
  harness run --rules v6.1 all                             every benchmark of a round

An argument that ends in .yaml or .yml is a suite, a list of runs with their flags. Only --out, --force, --dry-run,
--quiet, --json, --fail-if, --markdown and --junit may be added. "harness new suite FILE" writes a suite to start from.
Arguments that end in .json are MLMark configurations. "all" is a suite of every benchmark of a round, by default the
newest. docs/suites.md

--backend NAME,NAME,... makes all runs on each backend, alternating in --repeat N rounds, into OUT/NAME/ROUND, and
compares them at the end (docs/compare.md). --backend-opt NAME:KEY=VALUE sets an option of one backend.

The first Ctrl-C stops issuing queries, waits for outstanding answers and keeps the logs, marked as interrupted. The
second one ends the run at once.`

// Flags contains the flags of run.
type Flags struct {
	*shell.PluginFlags
	bench.Request
	dryRun, Quiet, json bool
	failIf              []string // conditions
	Observe             observe.ObserverFlags
	observers           *observe.Observers // nil: no observers
	Goal                goalFlags
	repeat              int
}

// Command returns the command "harness run".
func Command(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	r := &Flags{PluginFlags: f}
	c := &cobra.Command{
		Use: "run MODEL...|SUITE.yaml|all", Short: "Run benchmarks of models, a suite, or all of a round, and judge them",
		Long: runHelp,
		Args: runArguments,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case suite.IsSuiteFile(args[0]):
				return a.runSuite(c, r, args[0])
			case mlmark.IsConfigFile(args[0]):
				return a.runConfigs(c, r, args)
			case len(args) > 1:
				return a.runSeveral(c, r, args)
			case args[0] == suite.AllBenchmarks:
				return a.runEverything(c, r)
			}
			r.Model.Name = args[0]
			return a.runSessions(c, r)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	AddModelFlags(flags, &r.Request)
	flags.Lookup("backend").Usage = "backend `NAME` (default: the plugin's first); NAME,NAME,... compares several"
	shell.AddOutputFlags(flags, &r.Request)
	r.Goal.Add(c)
	flags.IntVar(&r.repeat, "repeat", 1, "repeat all runs in `N` rounds; with several backends, alternate within each "+
		"round")
	shell.AddFailIfFlag(flags, &r.failIf, "'p99 > 12ms', 'accuracy < 97%';\nwith several backends 'Server.p99 > +5%', "+
		"compared with the first one;\nrepeatable")
	flags.BoolVar(&r.dryRun, "dry-run", false, "print the plan with all settings and run nothing")
	flags.BoolVar(&r.Quiet, "quiet", false, "no progress, only the report")
	flags.BoolVar(&r.json, "json", false, "print the result as JSON instead of the report")
	r.Observe.Add(flags)
	shell.AddRunReport(s, c)
	return c
}

// runArguments requires models, a single other argument, or configurations.
func runArguments(c *cobra.Command, args []string) error {
	if len(args) > 1 && !slices.ContainsFunc(args, func(a string) bool { return !mlmark.IsConfigFile(a) }) {
		return nil
	}
	for _, arg := range args {
		if err := notAModelError(arg); err != nil {
			return err
		}
	}
	if len(args) > 1 && !slices.ContainsFunc(args, func(a string) bool {
		return suite.IsSuiteFile(a) ||
			mlmark.IsConfigFile(a)
	}) {
		return nil
	}
	const what = "names of models (harness list shows them), all, the file of a suite, or MLMark configurations"
	return shell.RequireOneArgument(what)(c, args)
}

// notAModelError returns an error with the correct command line for an argument that cannot be a model's name, or nil.
func notAModelError(arg string) error {
	switch {
	case strings.HasPrefix(arg, "http://"), strings.HasPrefix(arg, "https://"):
		return fmt.Errorf("%q is the address of a server: harness bench %[1]s measures it; harness run MODEL --backend "+
			"openai --backend-opt url=%[1]s runs a benchmark on it", arg)
	case strings.HasSuffix(arg, ".onnx"):
		return fmt.Errorf("%q is the file of a model: harness run MODEL --model %[1]s runs it, with the name of its "+
			"benchmark (harness list)", arg)
	}
	return nil
}

// AddModelFlags adds the flags that select what runs. A suite has them for each of its runs.
func AddModelFlags(flags *pflag.FlagSet, r *bench.Request) {
	shell.AddSettingFlags(flags, r)
	shell.AddWorkloadFlags(flags, r)
	shell.AddRunFlags(flags, r)
}

// rejectStrayAudit rejects an audit.config in the working directory, unless the user named it.
func rejectStrayAudit(named string) error {
	err := mlconf.StrayAudit(".")
	if err == nil {
		return nil
	}
	if named != "" {
		stray, err1 := os.Stat(mlconf.AuditFile)
		chosen, err2 := os.Stat(named)
		if err1 == nil && err2 == nil && os.SameFile(stray, chosen) {
			return nil
		}
	}
	return sdk.Usage(fmt.Errorf("%w (--audit FILE)", err))
}
