package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/client"
)

// planRunFlags are those that go with a plan.
var planRunFlags = []string{"out", "force", "quiet", "rehearsal", "shorten", "client", "client-python", "dry-run",
	"backend-opt", "backend-secret"}

// lineEvery is how long it takes until a line says how far a point is.
const lineEvery = 30 * time.Second

// runPlan makes the runs of plans of curves.
func (a *app) runPlan(c *cobra.Command, r *runFlags, files []string) error {
	if err := r.checkPlanFlags(c.Flags(), files); err != nil {
		return sdk.Usage(err)
	}
	rules := endpoints.Newest()
	p, err := plan.ReadFile(files[0])
	if err != nil {
		return sdk.Usage(err)
	}
	if err := r.checkPlan(p, rules); err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", files[0], err))
	}
	if r.dryRun {
		return curves.WritePlan(a.Stdout, p, rules)
	}
	driven, err := a.pointClient(r, p, rules)
	if err != nil {
		return sdk.Usage(err)
	}
	say := func(line string) { fmt.Fprintln(a.Stdout, line) }
	o := drive.Options{Plan: p, Rules: rules, Client: driven, Shorten: r.shorten, Force: r.Output.Force, Say: say,
		Out: cmp.Or(r.Output.Dir, "curve-"+p.Model)}
	if !r.Quiet {
		o.Every = lineEvery
	}
	if r.rehearsal {
		say("a rehearsal by this program's own client: no check accepts these runs")
	}
	if file := p.Client.PerformanceSet; file != "" && !p.Agentic(rules) {
		lines, err := drive.CheckSet(file, p.Model, rules)
		if err != nil {
			return sdk.Usage(fmt.Errorf("client.performance_set: %w", err))
		}
		for _, line := range lines {
			say("note: client.performance_set: " + line)
		}
	}
	curve, err := drive.Run(c.Context(), o)
	if n := len(curve.Points); n > 0 {
		say(fmt.Sprintf("%s: %d of %d points", o.Out, n, len(p.Points)))
	}
	return serving.OfServer(err)
}

// checkPlanFlags refuses flags that are not of a plan, and a client that is not chosen.
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

// checkClient wants one client: the official one, or our own in a trial.
func (r *runFlags) checkClient() error {
	switch r.client {
	case drive.OfficialName:
		if r.python == "" {
			return errors.New("--client official needs --client-python, the interpreter of Python that the client is " +
				"installed for")
		}
		if r.rehearsal || r.shorten != 1 {
			return errors.New("--rehearsal and --shorten are of this program's own client")
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

// checkPlan wants a plan without errors, whose model the client can measure, and whose server and data are named.
func (r *runFlags) checkPlan(p *plan.Plan, rules *endpoints.Rules) error {
	var faults []error
	for _, f := range plan.Judge(p, rules) {
		if !f.Warning {
			faults = append(faults, errors.New(f.String()))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	official := r.client == drive.OfficialName
	if p.Agentic(rules) && !official {
		return fmt.Errorf("%s is agentic: this program's own client measures no agentic point yet", p.Model)
	}
	keys := slices.DeleteFunc(p.Client.Unfilled(), func(key string) bool { return key == tokenizerKey && !official })
	if p.Client.PerformanceSet == "" && !official {
		keys = append(keys, "client.performance_set")
	}
	if len(keys) > 0 {
		return fmt.Errorf("fill in %s of the plan", strings.Join(keys, ", "))
	}
	return nil
}

// pointClient is the client that measures the points of a plan.
func (a *app) pointClient(r *runFlags, p *plan.Plan, rules *endpoints.Rules) (drive.Client, error) {
	r.Request.Model.Env, r.Request.Model.Secrets = a.Env, &a.Secrets
	options, err := r.Request.ServerOptions()
	if err != nil {
		return nil, err
	}
	connection := serving.ServerConnection{Model: p.Client.ServedModel, Options: options, Lookup: a.Lookup}
	if r.client == drive.OfficialName {
		official := &drive.Official{Python: r.python, Plan: p, Rules: rules, Connection: connection,
			Say: func(line string) { fmt.Fprintln(a.Stdout, line) }}
		if p.Agentic(rules) {
			return official, nil
		}
		if official.Tokenizer, err = client.OpenTokenizer(p.Client.Tokenizer); err != nil {
			return nil, fmt.Errorf("%s, by which the tokens of super-passes are counted: %w", tokenizerKey, err)
		}
		return official, nil
	}
	v := shell.Version()
	return &drive.Own{Endpoint: p.Client.Endpoint, Tokenizer: a.tokenizerOf(p), Version: v.Version, Commit: v.Commit,
		Connection: connection, Prompts: drive.SetOptions(p.Client.PerformanceSet, p.Model, rules),
		Note: func(text string) { fmt.Fprintln(a.Stdout, "note: "+text) }}, nil
}

// tokenizerKey is the key of a plan that our own client can do without.
const tokenizerKey = "client.tokenizer"

// tokenizerOf is the plan's tokenizer where it is on this machine; empty: the server's own counts of tokens stand.
func (a *app) tokenizerOf(p *plan.Plan) string {
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
