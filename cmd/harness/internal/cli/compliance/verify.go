package compliance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
	"github.com/plumbline-ml/plumbline/internal/submission/official/audits"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

const auditVerifyHelp = `Judge the logs of compliance tests, of any harness.

  harness audit verify results/SYSTEM/resnet50/Offline                     every test with a folder there
  harness audit verify RUN --test TEST01 --results results/SYSTEM/resnet50/Offline --dtype float32

DIR is the folder of a submission's scenario with TESTnn folders, the folder with the logs of an audit's run, or one
above, up to a whole repository of results. The seeds of the logs identify the round. The command rejects logs that the
official scripts accept unchecked, and gives reasons; --compatible gives the scripts' verdict, text and exit code
instead. --out writes the verdict and the logs in the form of a submission; without it nothing is written.

Exit codes: 0 pass, 3 fail, 2 usage, 6 logs are missing, or were cut short. docs/audits.md`

// auditVerifyFlags contains the flags of audit verify.
type auditVerifyFlags struct {
	audits.Request
	dir, results, rules string
	compatible, json    bool
	numbers             [4]float64 // values of numberFlags
}

func (a *app) auditVerifyCommand() *cobra.Command {
	f := &auditVerifyFlags{}
	c := &cobra.Command{
		Use: "verify DIR", Short: "Judge the logs of compliance tests", Long: auditVerifyHelp,
		Args: shell.RequireOneArgument("the folder of a scenario, or of an audit's run"),
		RunE: func(c *cobra.Command, args []string) error {
			f.dir = args[0]
			return a.auditVerify(c, f)
		},
	}
	f.addFlags(c.Flags())
	return c
}

// numberFlags lists the flags with numbers whose default is the round's value.
var numberFlags = [...]struct{ name, help string }{
	{"tolerance", "TEST08: relative `DIFFERENCE` of normalised entropy (default 0.001)"},
	{"accuracy-threshold", "TEST07: minimum `ACCURACY` (default: the round's)"},
	{"min-output-tokens", "TEST09: minimum mean `LENGTH` (default: the round's)"},
	{"max-output-tokens", "TEST09: maximum mean `LENGTH` (default: the round's)"},
}

func (f *auditVerifyFlags) addFlags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.Test, "test", "", "`TESTnn` (default: every test with a folder in DIR)")
	flags.StringVar(&f.results, "results", "",
		"`DIR` of the scenario's results, with accuracy/ and performance/run_1/\n(default: DIR, or the folder above)")
	flags.StringVar(&f.Model, "model", "",
		"`MODEL` of the rules (default: the name of the folder above the\nscenario's)")
	flags.StringVar(&f.Scenario, "scenario", "", "`SCENARIO` (default: the folder's name, or that in the logs)")
	flags.StringVar(&f.rules, "rules", "",
		"`ROUND` of the rules\n(default: that of the submission's logs, or the newest)")
	flags.StringVar(&f.DType, "dtype", "", "`TYPE` of the answers: byte, float32, int16, int32, int64\n"+
		"(default: byte; of TEST06 int32)")
	flags.StringVar(&f.EOS, "eos-token-id", "", "TEST06: the model's end `TOKEN` (default 2)")
	flags.StringVar(&f.Command, "accuracy-command", "",
		"TEST07, and TEST01 if answers differ: shell `COMMAND` that scores the log\n{accuracy_log} and prints the score")
	flags.StringVar(&f.Pattern, "score-pattern", "",
		"TEST07: regular `EXPRESSION` whose first group is the score\n(default: 'exact_match': NUMBER)")
	flags.StringVar(&f.AuditConfig, "audit-config", "", "TEST07, TEST09: `FILE` with bounds (default: the round's)")
	for i, n := range numberFlags {
		flags.Float64Var(&f.numbers[i], n.name, 0, n.help)
	}
	flags.BoolVar(&f.PerformanceOnly, "no-accuracy-logs", false,
		"skip tests that need accuracy logs (a packed submission contains truncated ones)")
	flags.BoolVar(&f.compatible, "compatible", false, "give the verdict, text and exit code of the official script")
	flags.BoolVar(&f.UnixMode, "unixmode", false, "with --compatible: compare whole lines, as --unixmode there")
	flags.StringVar(&f.Out, "out", "", "write verdict and logs to TESTnn below this `DIR` of a scenario")
	flags.BoolVar(&f.json, "json", false, "print verdicts as JSON")
}

// auditVerify judges one test, all tests in a folder, or all tests of the scenarios below a folder.
func (a *app) auditVerify(c *cobra.Command, f *auditVerifyFlags) error {
	rules, err := f.completeFlags(c.Flags())
	if err != nil {
		return sdk.Usage(err)
	}
	folders := []string{f.dir}
	if f.results == "" && (f.Test == "" || tree.FilesOf(f.Test).Verdicts != nil) {
		below, err := audit.ScenariosBelow(f.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return classifyAuditError(err)
		}
		if len(below) > 0 && f.Out != "" {
			return sdk.Usage(fmt.Errorf("--out places the files of one scenario, and %s has %d: name its folder", f.dir,
				len(below)))
		}
		if len(below) > 0 {
			folders = below
		}
	}
	rounds := treeRounds{app: a, fromFlag: f.rules != "", fallback: rules, known: map[string]*mlconf.Rules{}}
	rounds.rulesOf(f.dir)
	var outcome shell.RunOutcomes
	var verdicts []verdictJSON
	for _, dir := range folders {
		list, err := a.verifyFolder(c, f, rounds.rulesOf(dir), dir, &outcome, len(folders) > 1)
		if verdicts = append(verdicts, list...); err != nil && len(folders) == 1 {
			return err
		} else if err != nil {
			outcome.Fault(err)
		}
	}
	return errors.Join(outcome.Err(), a.writeVerdicts(f, verdicts))
}

// treeRounds finds the rounds of submission trees.
type treeRounds struct {
	app      *app
	fromFlag bool          // true: --rules was given
	fallback *mlconf.Rules // the rules of --rules, or the newest
	known    map[string]*mlconf.Rules
}

// rulesOf returns the rules for a folder in a tree. Without --rules, the seeds in the tree's logs determine the round.
// It prints a note once per round if the round is unknown or not the newest.
func (r treeRounds) rulesOf(dir string) *mlconf.Rules {
	root, _, ok := tree.RootOf(dir)
	if r.fromFlag || !ok {
		return r.fallback
	}
	own := r.known[root]
	if own != nil {
		return own
	}
	found, err := tree.FindRound(root)
	if err == nil {
		own, err = mlconf.Round(found.Name)
	}
	switch {
	case err != nil:
		own = r.fallback
		fmt.Fprintf(r.app.Stderr, "%v; the rules are those of %s, the newest\n", err, own.Name)
	case own.Name != r.fallback.Name:
		fmt.Fprintf(r.app.Stderr, "%s: %s\n", root, found)
	}
	r.known[root] = own
	return own
}

// verifyFolder judges the tests in one folder. titled means that the folder is one of several and gets a title.
func (a *app) verifyFolder(c *cobra.Command, f *auditVerifyFlags, rules *mlconf.Rules, dir string,
	outcome *shell.RunOutcomes, titled bool,
) (verdicts []verdictJSON, err error) {
	test := f.Test
	if titled && test != "" && !audit.HasTest(dir, test) {
		return nil, nil
	}
	found, err := audit.Locate(dir, f.results, test)
	if err != nil {
		return nil, classifyAuditError(err)
	}
	if titled && !f.json {
		fmt.Fprintf(a.Data, "%s\n", terminal.Line(dir))
	}
	for _, logs := range found {
		r := f.newRequest(rules, logs)
		v, err := f.verifyAudit(c.Context(), r, logs.InTwo)
		if err == nil {
			err = audit.WriteVerdict(v.Verdict, f.Out)
		}
		if err != nil {
			AddVerdict(outcome, classifyAuditError(fmt.Errorf("%s: %w", logs.Test, err)), v.Verdict)
			continue
		}
		if f.json {
			verdict := newVerdictJSON(r.Scenario, v.Verdict)
			verdict.Folder = dir
			verdicts = append(verdicts, verdict)
		} else {
			a.writeAudit(f, r.Scenario, v)
		}
		f.addVerdict(outcome, v)
	}
	return verdicts, nil
}

// completeFlags checks the flags, stores the given numbers, and finds the round.
func (f *auditVerifyFlags) completeFlags(flags *pflag.FlagSet) (*mlconf.Rules, error) {
	for i, at := range []**float64{&f.Tolerance, &f.Threshold, &f.MinTokens, &f.MaxTokens} {
		if flags.Changed(numberFlags[i].name) {
			*at = &f.numbers[i]
		}
	}
	if f.UnixMode && !f.compatible {
		return nil, errors.New("--unixmode: only with --compatible; without it whole logs of any size are streamed")
	}
	rules, err := mlconf.Round(f.rules)
	if err == nil && f.Model != "" && !rules.Has(f.Model) {
		err = fmt.Errorf("--model %s: rules %s have no such model%s", f.Model, rules.Name, roundsText(f.Model))
	}
	return rules, err
}

// roundsText returns text that lists the rounds with a model, for an error about a round without it. It is empty if no
// round has the model.
func roundsText(model string) string {
	with := mlconf.RoundsWith(model)
	if len(with) == 0 {
		return ", nor has any other round"
	}
	return ": --rules takes those that have it, " + strings.Join(with, ", ")
}

// newRequest returns the request for one test. If the round has a model with the folder's name, it is the model of the
// request.
func (f *auditVerifyFlags) newRequest(rules *mlconf.Rules, found audit.FoundLogs) audits.Request {
	r := f.Request
	r.Test, r.Rules, r.Reference, r.Run = found.Test, rules, found.Reference, found.Run
	if r.Model == "" && rules.Has(found.Model) {
		r.Model = found.Model
	}
	r.Scenario = cmp.Or(r.Scenario, found.Scenario)
	return r
}

// verifyAudit judges with Plumbline's rules or like the official scripts. inTwo is true for the two runs of TEST04.
func (f *auditVerifyFlags) verifyAudit(ctx context.Context, r audits.Request, inTwo bool) (audits.Verdict, error) {
	if inTwo && !r.Rules.AuditFeatures().CachingInTwo {
		return audits.Verdict{}, sdk.Usage(fmt.Errorf("%s and %s are runs of rounds before v2.1, and %s has one run: "+
			"name their round with --rules", tree.CachingUnique, tree.CachingSame, r.Rules.Name))
	}
	if f.compatible {
		return audits.Verify(ctx, r)
	}
	v, err := audit.Verify(ctx, r.Request)
	return audits.Verdict{Verdict: v}, err
}

// classifyAuditError sets the exit code for an error of a request.
func classifyAuditError(err error) error {
	switch {
	case errors.Is(err, audit.ErrRequest):
		return sdk.Usage(err)
	case errors.Is(err, audit.ErrMissing):
		return sdk.Data(err)
	}
	return err
}

// addVerdict adds the outcome of a verdict. The official scripts have their own exit codes.
func (f *auditVerifyFlags) addVerdict(o *shell.RunOutcomes, v audits.Verdict) {
	if !f.compatible {
		AddVerdict(o, nil, v.Verdict)
	} else if v.Exit != 0 {
		o.Add(exitcode.Code(v.Exit))
	}
}

func (a *app) writeAudit(f *auditVerifyFlags, scenario string, v audits.Verdict) {
	if f.compatible {
		fmt.Fprint(a.Data, v.Stdout)
		return
	}
	WriteVerdict(a.App, campaign.AuditResult{Scenario: scenario, Test: v.Test, Verdict: v.Verdict})
}

// verdictJSON is the JSON form of a verdict.
type verdictJSON struct {
	Folder      string         `json:"folder"` // of the scenario or the run
	Test        string         `json:"test"`
	Scenario    string         `json:"scenario,omitempty"`
	Pass        bool           `json:"pass"`
	Accuracy    string         `json:"accuracy"`
	Performance string         `json:"performance"`
	Missing     bool           `json:"logs_missing"`
	Reasons     []audit.Reason `json:"reasons"`
	Notes       []string       `json:"notes"`
}

func newVerdictJSON(scenario string, v audit.Verdict) verdictJSON {
	return verdictJSON{
		Test: v.Test, Scenario: scenario, Pass: v.Pass, Accuracy: v.Accuracy.String(), Performance: v.Performance.String(),
		Missing: v.LacksLog(), Reasons: append([]audit.Reason{}, v.Reasons...), Notes: append([]string{}, v.Notes...),
	}
}

func (a *app) writeVerdicts(f *auditVerifyFlags, list []verdictJSON) error {
	if !f.json {
		return nil
	}
	return shell.WriteJSON(a.Data, append([]verdictJSON{}, list...))
}
