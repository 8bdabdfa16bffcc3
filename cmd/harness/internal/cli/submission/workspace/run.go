package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/compliance"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const runHelp = `Make all runs that a submission needs, in one output folder: performance and accuracy of every scenario
that the rules require of each model on --system-type, and their audits. The official LoadGen drives them, with the
rules' durations.

  harness submission run resnet50 --system-type edge --model resnet50_v1.onnx --dataset imagenet --dry-run
  harness submission run resnet50 --system-type edge --model resnet50_v1.onnx --dataset imagenet
  harness submission run resnet50 bert-99 --system-type edge --model resnet50=r.onnx --model bert-99=b.onnx \
      --dataset resnet50=imagenet --dataset bert-99=squad --user-conf user.conf

After a crash or Ctrl-C the same command resumes: it does not repeat a finished run with the same options, model
and data. A failed run does not stop the others.

A suite (docs/suites.md) may list the models with their flags: model files, data sets, settings. The rules decide
which runs are made.

With a --workspace (harness submission init), the runs are added to it at the end, and the tree is built in --tree
and checked.

--rehearsal makes trial runs. Plumbline's own LoadGen drives them (or the official one, with --loadgen official),
--smoke shortens them, and a plugin's own model and data are allowed. Such runs are marked, and checks reject them.

A plan of a curve of MLPerf Endpoints (harness submission plan) is run point after point (docs/endpoints.md):

  harness submission run plan.yaml --rehearsal --out trial
  harness submission run plan.yaml --client official --client-python venv/bin/python --out curve`

// runFlags contains the flags of submission run.
type runFlags struct {
	*runs.Flags
	datasets          []string
	accuracyDatasets  []string
	auditDatasets     []string
	rehearsal, dryRun bool
	tree              string
	listed            map[string]suite.Job // jobs of a suite by model
	shorten           float64              // only for plans, as are the next two
	client, python    string
}

func (a *app) runCommand(f *shell.PluginFlags) *cobra.Command {
	r := &runFlags{Flags: &runs.Flags{PluginFlags: f}}
	c := &cobra.Command{
		Use: "run MODEL...|SUITE.yaml|PLAN.yaml", Short: "Make all runs and audits that a submission needs", Long: runHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: name the models; see %s --help", shell.CommandName(c), c.CommandPath())
			}
			return nil
		},
		PreRunE: func(*cobra.Command, []string) error { return a.RestrictPlugins(f) },
		RunE:    func(c *cobra.Command, args []string) error { return a.makeRuns(c, r, args) },
	}
	compliance.AddRunFlags(c, r.Flags)
	flags := c.Flags()
	for _, own := range ownFlagNames {
		*flags.Lookup(own) = *r.ownFlags().Lookup(own)
	}
	flags.StringVar(&r.tree, "tree", "tree", "`DIR` of the tree built from the workspace")
	flags.BoolVar(&r.rehearsal, "rehearsal", false,
		"a trial: allow Plumbline's own LoadGen, --smoke, and the plugin's own model\nand data, and mark the runs")
	flags.StringVar(&r.client, "client", "",
		"`CLIENT` for a plan's points: official, or plumbline for a trial")
	flags.StringVar(&r.python, "client-python", "",
		"`PATH` of the Python interpreter with the official client")
	flags.Float64Var(&r.shorten, "shorten", 1,
		"for a trial of a plan: divide all minimum times by `N`, at least 1")
	flags.BoolVar(&r.dryRun, "dry-run", false, "list the runs with their durations, and run nothing")
	return c
}

// ownFlagNames lists the flags with another meaning than in harness run.
var ownFlagNames = []string{"dataset", "accuracy-dataset", "audit-dataset", "system"}

// ownFlags returns the flags with another meaning than in harness run.
func (r *runFlags) ownFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.StringVar(&r.Goal.System, "system", "",
		"`NAME` of the system in the workspace (default: the only one)")
	flags.StringArrayVar(&r.datasets, "dataset", nil,
		"`PATH` of the data set, or MODEL=PATH for one of several models (repeatable)")
	flags.StringArrayVar(&r.accuracyDatasets, "accuracy-dataset", nil,
		"the same for the data set of accuracy runs, if the model has a separate\none (`PATH`, MODEL=PATH)")
	flags.StringArrayVar(&r.auditDatasets, "audit-dataset", nil,
		"the same for the data set of the compliance test that has a separate one\n(`PATH`, MODEL=PATH)")
	return flags
}

// completeFlags checks the flags and sets the defaults of a submission's runs.
func (r *runFlags) completeFlags() error {
	switch {
	case r.rehearsal:
		r.Rules.Official = !r.Rules.Smoke
		return nil
	case r.Rules.Smoke:
		return errors.New("--smoke is for a trial: add --rehearsal")
	case r.Rules.LoadGen == bench.LoadGenOwn:
		return errors.New("--loadgen plumbline drives no run that may be submitted: give --rehearsal for a trial")
	}
	r.Rules.Official, r.Rules.LoadGen = true, bench.LoadGenOfficial
	return nil
}

// checkKnownType requires the system's type unless scenarios are named, because the required scenarios depend on it.
func (r *runFlags) checkKnownType() error {
	if r.Rules.SystemType != "" || len(r.Load.Scenarios) > 0 || r.Rules.Division == tree.DivisionOpen {
		return nil
	}
	return errors.New("what the rules ask for depends on the system: give --system-type datacenter, edge or " +
		"datacenter,edge, or name the scenarios with --scenario")
}

func (a *app) makeRuns(c *cobra.Command, r *runFlags, models []string) error {
	switch {
	case plan.IsPlan(models[0]):
		return a.runPlan(c, r, models)
	}
	for _, name := range []string{"shorten", "client", "client-python"} {
		if c.Flags().Changed(name) {
			return sdk.Usage(fmt.Errorf("--%s goes with a plan of a curve (harness submission plan)", name))
		}
	}
	if err := errors.Join(r.completeFlags(), r.Goal.ApplyGoal(c, &r.Request), r.checkKnownType()); err != nil {
		return sdk.Usage(err)
	}
	if suite.IsSuiteFile(models[0]) {
		var err error
		if models, err = r.readSuite(c, models); err != nil {
			return sdk.Usage(err)
		}
	}
	parts, err := a.planParts(c, r, models)
	if err != nil {
		return err
	}
	if r.dryRun {
		return a.writeHours(c.Context(), parts)
	}
	defer a.BeginSeveral()()
	return runs.RunObserved(a.App, c.Context(), r.Flags, func() error { return a.runParts(c.Context(), r, parts) })
}

// runParts runs all models and adds the runs to the workspace.
func (a *app) runParts(ctx context.Context, r *runFlags, parts []campaign.ModelPart) error {
	if r.rehearsal {
		fmt.Fprintln(a.Stdout, "a rehearsal: no check accepts these runs")
	}
	var outcome shell.RunOutcomes
	outcome.Fault(campaign.Submit(ctx, parts, func(p campaign.ModelPart, o campaign.Outcome) {
		a.printOutcome(&outcome, p,
			o)
	}))
	if ctx.Err() != nil {
		outcome.Fault(fmt.Errorf("%w: no tree is built", context.Cause(ctx)))
		return outcome.Err()
	}
	outcome.Fault(a.gatherRuns(ctx, r, outcome.Good()))
	return outcome.Err()
}

// planParts plans the runs of all models before the first one runs.
func (a *app) planParts(c *cobra.Command, r *runFlags, models []string) ([]campaign.ModelPart, error) {
	var parts []campaign.ModelPart
	var faults []error
	for _, model := range models {
		one := *r.Flags
		one.Request.Model.Name = model
		one.Model.Files = modelValues(r.Model.Files, model, models)
		one.Request.Data.Path = lastValue(modelValues(r.datasets, model, models))
		one.Request.Data.AccuracyPath = lastValue(modelValues(r.accuracyDatasets, model, models))
		one.Request.Data.AuditPath = lastValue(modelValues(r.auditDatasets, model, models))
		if j, is := r.listed[model]; is {
			if err := r.applySuite(&one, j); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", model, err))
				continue
			}
		}
		s, _, err := runs.NewCampaign(a.App, c, &one)
		r.Output.Dir, r.Plugins.Catalog = one.Output.Dir, one.Plugins.Catalog
		if embedded := r.rejectEmbedded(one.Request); embedded != nil {
			faults = append(faults, fmt.Errorf("%s: %w", model, embedded))
		}
		if err == nil {
			var sub campaign.Submission
			if sub, err = s.NewSubmission(c.Context()); err == nil {
				parts = append(parts, campaign.ModelPart{Campaign: s, Submission: sub})
			}
		}
		if err != nil && strings.Contains(err.Error(), shell.OfficialName) {
			err = fmt.Errorf("%w; or make a trial with --rehearsal", err)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", model, err))
		}
	}
	return parts, sdk.Usage(errors.Join(faults...))
}

// rejectEmbedded rejects an embedded model before hours of runs, because add would reject it afterwards. A backend
// named by the user may have its own model.
func (r *runFlags) rejectEmbedded(q bench.Request) error {
	var what []string
	if len(q.Model.Files) == 0 && q.Model.Backend == "" {
		what = append(what, "--model")
	}
	if q.Data.Path == "" {
		what = append(what, "--dataset")
	}
	if len(what) == 0 || r.rehearsal {
		return nil
	}
	return fmt.Errorf("without %s the plugin's own would run, which cannot be submitted: give it, or make a trial "+
		"with --rehearsal", strings.Join(what, " and "))
}

// modelValues returns the values for a model. MODEL=VALUE is for one model, and VALUE for all.
func modelValues(values []string, model string, models []string) []string {
	var mine []string
	for _, text := range values {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case text == "":
		case ok && name == model:
			mine = append(mine, value)
		case !ok || !slices.Contains(models, name):
			mine = append(mine, text)
		}
	}
	return mine
}

func lastValue(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// printOutcome prints the outcome of a run or an audit.
func (a *app) printOutcome(all *shell.RunOutcomes, p campaign.ModelPart, o campaign.Outcome) {
	switch {
	case o.Err != nil:
		all.Add(exitcode.Of(o.Err))
		fmt.Fprintf(a.Stderr, "%s %v: %v\n", p.Submission.Model.Name, o.Step, o.Err)
	case o.Audited != nil:
		compliance.AddVerdict(all, nil, o.Audited.Verdict)
		compliance.WriteVerdict(a.App, *o.Audited)
	case o.Run.ExitCode != 0:
		all.Add(exitcode.Code(o.Run.ExitCode))
	}
}

// writeHours lists the runs and their expected times.
func (a *app) writeHours(ctx context.Context, parts []campaign.ModelPart) error {
	whole, sure := time.Duration(0), true
	for _, p := range parts {
		planned, err := p.PlanRuns(ctx, p.Submission)
		if err != nil {
			return err
		}
		for _, run := range planned {
			if !run.Exists {
				whole, sure = whole+run.Duration, sure && run.IsEstimate
			}
			fmt.Fprintf(a.Stdout, "%-22s  %-28s  %s\n", p.Submission.Model.Name, run.Step, hoursText(run))
		}
		for _, left := range p.LeftOut {
			fmt.Fprintln(a.Stdout, "left out: "+left)
		}
	}
	word := "about"
	if !sure {
		word = "at least"
	}
	_, err := fmt.Fprintf(a.Stdout, "%s %s of runs to make, without loading models and data\n", word,
		cmp.Or(approximateText(whole), "0 s"))
	return err
}

// hoursText formats the expected time of a run.
func hoursText(run campaign.PlannedRun) string {
	switch text := approximateText(run.Duration); {
	case run.Exists:
		return "there"
	case run.IsEstimate:
		return cmp.Or(text, "0 s")
	case text == "":
		return "not known: the expected rate is not set"
	default:
		return "at least " + text + ": the expected rate (target_qps) is not set"
	}
}

// approximateText formats an approximate duration; "" for 0.
func approximateText(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Hour:
		return figure.Seconds(d)
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
