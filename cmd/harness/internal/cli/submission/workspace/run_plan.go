package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
)

// planRunFlags lists the flags that can be combined with a plan.
var planRunFlags = []string{"out", "force", "quiet", "rehearsal", "shorten", "client", "client-python", "dry-run",
	"backend-opt", "backend-secret"}

// progressInterval is the interval of the progress lines of a point.
const progressInterval = 30 * time.Second

// runPlan runs the points in plans of curves.
func (a *app) runPlan(c *cobra.Command, r *runFlags, files []string) error {
	if err := r.checkPlanFlags(c.Flags(), files); err != nil {
		return sdk.Usage(err)
	}
	rules := endpoints.NewestRules()
	p, err := plan.ReadPlan(files[0])
	if err != nil {
		return sdk.Usage(err)
	}
	if err := r.checkPlan(p, rules); err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", files[0], err))
	}
	say := func(line string) { fmt.Fprintln(a.Stdout, line) }
	if r.dryRun {
		if err := curves.WritePlan(a.Stdout, p, rules); err != nil {
			return err
		}
		return compareSets(p, rules, say)
	}
	driven, err := a.pointClient(r, p, rules)
	if err != nil {
		return sdk.Usage(err)
	}
	o := drive.Options{Plan: p, Rules: rules, Client: driven, Rehearsal: r.rehearsal, TimeDivisor: r.shorten,
		Force: r.Output.Force, Say: say, Out: cmp.Or(r.Output.Dir, "curve-"+p.Model)}
	if !r.Quiet {
		o.ReportInterval = progressInterval
	}
	if r.rehearsal {
		say("a rehearsal: no check accepts these runs")
	}
	if err := compareSets(p, rules, say); err != nil {
		return err
	}
	curve, err := drive.RunCurve(c.Context(), o)
	if n := len(curve.Points); n > 0 {
		say(fmt.Sprintf("%s: %d of %d points", o.Out, n, len(p.Points)))
	}
	return serving.OfServer(err)
}

// compareSets calls say for the differences between a plan's files and the official sets: the performance set, and the
// accuracy set if an accuracy run is due.
func compareSets(p *plan.Plan, rules *endpoints.Rules, say func(line string)) error {
	if keys := p.Client.Unfilled(); p.Client.PerformanceSet == "" || slices.Contains(keys, performanceKey) {
		return nil
	}
	check := drive.CheckSet
	if p.IsAgentic(rules) {
		check = drive.CheckTrajectories
	}
	lines, err := check(p.Client.PerformanceSet, p.Model, rules)
	if err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", performanceKey, err))
	}
	for _, line := range lines {
		say("note: " + performanceKey + ": " + line)
	}
	if p.IsAgentic(rules) || !slices.ContainsFunc(p.Points, func(q plan.Point) bool { return q.Accuracy }) {
		return nil
	}
	lines, err = drive.CheckAccuracyFile(drive.AccuracyFileOf(p, rules), rules)
	if err != nil {
		lines = []string{fmt.Sprintf("%v: accuracy runs are left out", err)}
	}
	for _, line := range lines {
		say("note: client.accuracy_set: " + line)
	}
	return nil
}

// checkPlanFlags rejects flags that do not apply to a plan, and requires a client.
func (r *runFlags) checkPlanFlags(flags *pflag.FlagSet, files []string) error {
	var faults []error
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(planRunFlags, f.Name) && flags.Lookup(f.Name) != nil && !f.Hidden {
			faults = append(faults, fmt.Errorf("--%s does not go with a plan of a curve", f.Name))
		}
	})
	switch {
	case len(files) > 1:
		faults = append(faults, fmt.Errorf("want one plan, found %d arguments", len(files)))
	case !(r.shorten >= 1):
		faults = append(faults, fmt.Errorf("--shorten is %v, want at least 1", r.shorten))
	}
	return errors.Join(append(faults, r.checkClient())...)
}

// checkClient requires one client: the official one, or our own in a trial.
func (r *runFlags) checkClient() error {
	switch r.client {
	case drive.OfficialName:
		if r.python == "" {
			return errors.New("--client official needs --client-python, the interpreter of Python that the client is " +
				"installed for")
		}
		if !r.rehearsal && r.shorten != 1 {
			return errors.New("--shorten is for a trial: add --rehearsal")
		}
		return nil
	case "", drive.OwnName:
	default:
		return fmt.Errorf("--client is %q, want %s or %s", r.client, drive.OfficialName, drive.OwnName)
	}
	switch {
	case r.python != "":
		return errors.New("--client-python goes with --client official")
	case !r.rehearsal && !r.dryRun:
		return errors.New("only the official client's runs can be submitted: give --client official " +
			"--client-python PATH, or --rehearsal for a trial by this program's own client")
	}
	return nil
}

// checkPlan requires a plan without errors, with a server, data, and a model that the client can measure.
func (r *runFlags) checkPlan(p *plan.Plan, rules *endpoints.Rules) error {
	var faults []error
	for _, f := range plan.JudgePlan(p, rules) {
		if !f.Warning {
			faults = append(faults, errors.New(f.String()))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	official := r.client == drive.OfficialName
	keys := slices.DeleteFunc(p.Client.Unfilled(), func(key string) bool { return key == tokenizerKey && !official })
	if p.Client.PerformanceSet == "" && !official {
		keys = append(keys, performanceKey)
	}
	if len(keys) > 0 {
		return fmt.Errorf("fill in %s of the plan", strings.Join(keys, ", "))
	}
	return nil
}

// pointClient returns the client that measures the points of a plan.
func (a *app) pointClient(r *runFlags, p *plan.Plan, rules *endpoints.Rules) (drive.Client, error) {
	r.Request.Model.Env, r.Request.Model.Secrets = a.Env, &a.Secrets
	options, err := r.Request.ServerOptions()
	if err != nil {
		return nil, err
	}
	connection := serving.ServerConnection{Model: p.Client.ServedModel, Options: options, Lookup: a.LookupVariable}
	if r.client == drive.OfficialName {
		if rules, err = r.trialRules(p, rules); err != nil {
			return nil, err
		}
		official := &drive.OfficialClient{Python: r.python, Plan: p, Rules: rules, Rehearsal: r.rehearsal,
			Connection: connection,
			Say:        func(line string) { fmt.Fprintln(a.Stdout, line) }}
		if p.IsAgentic(rules) {
			return official, nil
		}
		if official.Tokenizer, err = client.OpenTokenizer(p.Client.Tokenizer); err != nil {
			return nil, fmt.Errorf("%s, by which the tokens of super-passes are counted: %w", tokenizerKey, err)
		}
		return official, nil
	}
	v := shell.Version()
	return &drive.OwnClient{Endpoint: p.Client.Endpoint, Tokenizer: a.findTokenizer(p), Version: v.Version,
		Commit:     v.Commit,
		Connection: connection, Prompts: drive.SetOptions(p.Client.PerformanceSet, p.Model, rules),
		Accuracy: drive.AccuracyFileOf(p, rules), SWEBench: p.Client.SWEBench, Rules: rules,
		Note: func(text string) { fmt.Fprintln(a.Stdout, "note: "+text) }}, nil
}

// trialRules returns the rules of a trial with the official client. A super-pass has as many samples as the plan's
// file.
func (r *runFlags) trialRules(p *plan.Plan, rules *endpoints.Rules) (*endpoints.Rules, error) {
	if !r.rehearsal || p.Client.PerformanceSet == "" {
		return rules, nil
	}
	n, err := drive.CountSamples(p.Client.PerformanceSet, p.Model, rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", performanceKey, err)
	}
	trial := *rules
	trial.PerformanceSets = maps.Clone(rules.PerformanceSets)
	trial.PerformanceSets[p.Model] = n
	return &trial, nil
}

// tokenizerKey is the key in a plan that our own client does not require, and performanceKey that of the performance
// set.
const (
	tokenizerKey   = "client.tokenizer"
	performanceKey = "client.performance_set"
)

// findTokenizer returns the plan's tokenizer if it is on this machine. If it is empty, the server's token counts are
// used.
func (a *app) findTokenizer(p *plan.Plan) string {
	file := p.Client.Tokenizer
	if slices.Contains(p.Client.Unfilled(), tokenizerKey) || file == "" {
		return ""
	}
	if _, err := os.Stat(file); err != nil {
		fmt.Fprintf(a.Stdout, "note: %s, %s, is not a file here: the server's own counts of tokens stand\n",
			tokenizerKey, file)
		return ""
	}
	return file
}
