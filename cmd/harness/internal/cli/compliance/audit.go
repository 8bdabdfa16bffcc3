// Package compliance implements harness audit, which runs compliance tests after the runs of a model or judges existing
// logs.
package compliance

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const auditHelp = `Run the compliance tests of a model, compare them with its runs, and judge them.

  harness audit all resnet50 --out out         every test that the rules require of the model
  harness audit TEST01 resnet50 --out out --scenario Offline

--out is the folder of harness run; give the same flags as there. Its runs are used for the comparison; missing
ones are made first. The settings of the test override all others, without a file in the working directory. The
audit.config used, the logs and the verdict are in MODEL/SCENARIO/TESTnn. If TEST01 finds different answers, the
benchmark's own scorer compares the accuracies, as the rules require.

When repeated, the command makes only missing and not VALID runs, and judges again. Exit codes: 0 every test passes, 3
one fails, 6 logs are missing. docs/audits.md`

// Command returns harness audit, which runs audits. Its subcommands judge logs from elsewhere and run the audits of
// older rounds.
func Command(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	r := &runs.Flags{PluginFlags: f}
	c := &cobra.Command{
		Use: "audit TESTnn|all MODEL", Short: "Run the compliance tests of a model and judge them", Long: auditHelp,
		Args: auditArguments,
		RunE: func(c *cobra.Command, args []string) error {
			r.Model.Name = args[1]
			return a.runAudits(c, r, args[0])
		},
	}
	AddRunFlags(c, r)
	c.AddCommand(a.auditVerifyCommand(), a.auditSeedsCommand(f), a.auditDatasetCommand(f))
	return c
}

// AddRunFlags adds the flags of harness run that also apply to an audit's runs.
func AddRunFlags(c *cobra.Command, r *runs.Flags) {
	flags := c.Flags()
	flags.SortFlags = false
	shell.AddSettingFlags(flags, &r.Request)
	shell.AddWorkloadFlags(flags, &r.Request)
	shell.AddOutputFlags(flags, &r.Request)
	flags.StringVar(&r.Model.Tuning, "tuning", "", "profile `FILE` of harness tune, or none (default: as for run)")
	flags.BoolVar(&r.Quiet, "quiet", false, "no progress, only the report")
	r.Observe.Add(flags)
	r.Goal.Add(c)
	for _, name := range []string{"audit", "mode"} { // the test sets them
		_ = flags.MarkHidden(name)
	}
}

func auditArguments(c *cobra.Command, args []string) error {
	if len(args) == 2 {
		return nil
	}
	if len(args) == 1 && !strings.HasPrefix(args[0], "TEST") && args[0] != campaign.AllTests {
		return shell.RejectUnknownCommand(c, args)
	}
	return fmt.Errorf("%s: want a test, TESTnn or %s, and a model's name; see %s --help",
		shell.CommandName(c), campaign.AllTests, c.CommandPath())
}

// runAudits runs and judges the tests of each scenario. word is the model's name.
func (a *app) runAudits(c *cobra.Command, r *runs.Flags, word string) error {
	s, m, err := runs.NewCampaign(a.App, c, r)
	if err != nil {
		return err
	}
	rules, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return sdk.Usage(err)
	}
	tests, err := campaign.SelectTests(rules, m.RulesKey, word)
	if err != nil {
		return sdk.Usage(err)
	}
	if word == campaign.AllTests {
		var left []string
		tests, left = campaign.Runnable(rules, m.RulesKey, tests)
		m.LeftOut = append(m.LeftOut, left...)
	}
	runs.PrintLeftOut(a.Stdout, m.LeftOut)
	defer a.BeginSeveral()()
	return runs.RunObserved(a.App, c.Context(), r, func() error {
		var outcome shell.RunOutcomes
		outcome.Fault(s.RunAudits(c.Context(), rules, m, tests, func(done campaign.AuditResult, err error) {
			AddVerdict(&outcome, err, done.Verdict)
			if err == nil {
				WriteVerdict(a.App, done)
			}
		}))
		return outcome.Err()
	})
}

// WriteVerdict prints the verdict on an audit.
func WriteVerdict(a *shell.App, d campaign.AuditResult) {
	writeTestRow(a, d.Scenario, d.Test, d.Verdict.Pass, partsText(d.Verdict))
	for _, r := range d.Verdict.Reasons {
		fmt.Fprintf(a.Stdout, "    %v\n", r)
	}
	for _, n := range d.Verdict.Notes {
		fmt.Fprintf(a.Stdout, "    note: %s\n", n)
	}
}

// writeTestRow prints the row of a test below the rows of its runs.
func writeTestRow(a *shell.App, scenario, test string, pass bool, remark string) {
	verdict := terminal.StyleVerdict(passOrFail(pass))
	verdict.Text = fmt.Sprintf("%-16s", verdict.Text)
	terminal.WriterTo(a.Stdout).Print(fmt.Sprintf("%-12s  %-11s  ", scenario, test), verdict, "  ", remark, "\n")
}

func passOrFail(pass bool) string {
	if pass {
		return "PASS"
	}
	return "FAIL"
}

// partsText describes the verdicts on accuracy and performance, if the test has them.
func partsText(v audit.Verdict) string {
	var parts []string
	for _, half := range []struct {
		name    string
		outcome audit.Outcome
	}{{"accuracy", v.Accuracy}, {"performance", v.Performance}} {
		if half.outcome != audit.NotJudged {
			parts = append(parts, half.name+" "+half.outcome.String())
		}
	}
	return strings.Join(parts, ", ")
}

// AddVerdict adds the outcome of an audit.
func AddVerdict(o *shell.RunOutcomes, err error, v audit.Verdict) {
	switch {
	case err != nil:
		o.Fault(err)
	case v.LacksLog():
		o.Add(exitcode.Data)
	case !v.Pass:
		o.Add(exitcode.Invalid)
	}
}
