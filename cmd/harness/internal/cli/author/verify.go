package author

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/conformance"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/trust"
)

const verifyHelp = `Check a plugin, or a backend in one: start it, use it like a run does, provoke failures, and report
the result of each check.

  harness verify resnet50                                    the plugin, on its default backend
  harness verify resnet50 --backend acme                     a backend, compared in accuracy with the default one
  harness verify ./plumbline-plugin-acme                     a binary that is not installed, with its first model
  harness verify ./plumbline-plugin-acme --reference resnet50:ort   the same, compared with a backend of another plugin

Exit codes: 0 every check passed, 5 one failed.`

// noReference is the value of --reference that omits the comparison with a reference.
const noReference = "none"

// verifyFlags contains the flags of verify.
type verifyFlags struct {
	*shell.PluginFlags
	request              bench.Request
	reference            string
	only                 []string
	patience, memoryTime time.Duration
	json                 bool
}

// VerifyCommand returns the command "harness verify".
func VerifyCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	v := &verifyFlags{PluginFlags: f}
	c := &cobra.Command{
		Use: shell.VerifyName + " MODEL", Short: "Check a plugin or a backend", Long: verifyHelp,
		Args: shell.RequireOneArgument("a model or a benchmark, as harness list shows it, or the path of a plugin"),
		RunE: func(c *cobra.Command, args []string) error {
			v.request.Model.Name = args[0]
			return a.runVerify(c, v)
		},
	}
	flags, r := c.Flags(), &v.request
	shell.AddFlags(flags, r, "model", "precision", "dataset", "count", "backend", "device", "backend-opt",
		"backend-secret",
		"param", "scorer-model")
	flags.Lookup("count").Usage = "use the first `N` samples in all checks (default: all for accuracy, 24 in other checks)"
	flags.StringVar(&v.reference, "reference", "",
		"compare the accuracy with that of `[PLUGIN:]BACKEND`; none: do not\ncompare (default: the plugin's first "+
			"backend, if another one is checked)")
	flags.DurationVar(&v.patience, "patience", 20*time.Second, "`TIME` within which a plugin must react to an error or "+
		"its end")
	flags.DurationVar(&v.memoryTime, "memory-time", time.Minute,
		"limit the check memory (10,000 queries) to `TIME`")
	flags.StringSliceVar(&v.only, "only", nil, "only these `CHECKS`: "+strings.Join(conformance.CheckNames(), ", "))
	flags.BoolVar(&v.json, "json", false, "print JSON")
	return c
}

// checkFlags requires known checks and positive times.
func (f *verifyFlags) checkFlags() error {
	var faults []error
	for _, name := range f.only {
		if !slices.Contains(conformance.CheckNames(), name) {
			faults = append(faults, fmt.Errorf("unknown check %q, want one of %s", name,
				strings.Join(conformance.CheckNames(), ", ")))
		}
	}
	if f.patience <= 0 {
		faults = append(faults, fmt.Errorf("--patience %v: want a duration above 0", f.patience))
	}
	if f.memoryTime <= 0 {
		faults = append(faults, fmt.Errorf("--memory-time %v: want a duration above 0", f.memoryTime))
	}
	return errors.Join(faults...)
}

func (a *app) runVerify(c *cobra.Command, f *verifyFlags) error {
	if err := f.checkFlags(); err != nil {
		return sdk.Usage(err)
	}
	s, err := a.verifySubject(c, f)
	if err != nil {
		return err
	}
	report := a.printCheck
	if f.json {
		report = nil
	} else {
		fmt.Fprintf(a.Stdout, "%s\n\n", strings.TrimSpace(s.Binary+" "+subjectText(s.Open)))
	}
	a.SetOrderly(true)
	results := conformance.Run(c.Context(), s, report)
	for i := range results {
		results[i] = a.hideSecrets(results[i])
	}
	off := context.Cause(c.Context()) // checks that were not made did not pass
	if f.json {
		err = a.verifyJSON(s.Binary, s.Open, results, off == nil)
	} else if off == nil {
		fmt.Fprintf(a.Stdout, "\n%s\n", verdictText(results))
	}
	switch {
	case err != nil:
		return err
	case off != nil:
		return fmt.Errorf("the checks were called off: %w", off)
	case conformance.CountFailures(results) > 0:
		return &exitcode.Outcome{Code: exitcode.Plugin}
	}
	return nil
}

// verifySubject returns the plugin and options that the flags select. A plugin that does not start is accepted, because
// the first check reports it.
func (a *app) verifySubject(c *cobra.Command, f *verifyFlags) (conformance.Subject, error) {
	s := conformance.Subject{
		Only: f.only, Patience: f.patience, MemoryTime: f.memoryTime, StartTimeout: f.Asked.Plugins.Launch.StartTimeout,
	}
	if g, ok := a.Plugins.(trust.Guard); ok {
		s.Approve = func(binary *os.File) error { return g.Lock.Approve(binary.Name(), binary) }
	}
	if err := a.selectByPath(c, f); err != nil {
		return s, err
	}
	f.request.Model.Tuning = bench.NoTuning
	p, err := a.NewPlan(c, f.PluginFlags, f.request)
	if err != nil {
		path, ok := a.failedPlugin(f, err)
		if !ok {
			return s, err
		}
		s.Binary, s.Open.Model = path, f.request.Model.Name
		return s, nil
	}
	if s.AnswerTimeout = f.Asked.Plugins.Launch.AnswerTimeout; !f.TimeoutGiven {
		s.AnswerTimeout = bench.UsualAnswerTimeout
	}
	s.Note = a.PrintNote
	s.Binary, s.Open, s.Env = p.Served.Path, p.Options, p.Env()
	s.ScorerFiles = p.ScorerFiles
	s.Reference, err = a.findReference(c, f, p)
	return s, err
}

// selectByPath handles the path of a plugin in place of a model. It selects that plugin and its first model.
func (a *app) selectByPath(c *cobra.Command, f *verifyFlags) error {
	if f.Asked.Plugins.Name != "" || !strings.ContainsRune(f.request.Model.Name, os.PathSeparator) {
		return nil
	}
	f.Asked.Plugins.Name = f.request.Model.Name
	catalog, err := a.Catalog(c, f.PluginFlags)
	if err != nil {
		return err
	}
	for _, e := range catalog.Entries {
		if len(e.Description.Models) > 0 {
			f.request.Model.Name = e.Description.Models[0].Name
		}
	}
	return nil
}

// failedPlugin returns the path of the only plugin, named by --plugin or in place of a model, if it answered with
// an error.
func (a *app) failedPlugin(f *verifyFlags, err error) (path string, ok bool) {
	if exitcode.Of(err) != exitcode.Plugin || errors.Is(err, trust.ErrRefused) {
		return "", false
	}
	name := cmp.Or(f.Asked.Plugins.Name, f.request.Model.Name)
	found, err := a.PluginSettings(f.PluginFlags).Binaries(name)
	if err != nil || len(found) != 1 {
		return "", false
	}
	return found[0].Path, true
}

// findReference returns the plugin whose answers are the reference; nil: no comparison.
func (a *app) findReference(c *cobra.Command, f *verifyFlags, p *bench.Plan) (*conformance.ReferencePlugin, error) {
	at := strings.LastIndex(f.reference, ":")
	if at >= 0 {
		other := *f.PluginFlags
		other.Asked.Plugins.Name = f.reference[:at]
		request := f.request
		request.Model.Backend, request.Model.BackendOptions, request.Model.SecretSources,
			request.Model.Devices = f.reference[at+1:], nil, nil, nil
		q, err := a.NewPlan(c, &other, request)
		if err != nil {
			return nil, fmt.Errorf("--reference %s: %w", f.reference, err)
		}
		return referenceBackend(q, q.Options.Backend)
	}
	backends := p.Served.Description.Backends
	switch {
	case f.reference == noReference, f.reference == "" &&
		(len(backends) == 0 || slices.Contains([]string{"", backends[0]}, p.Options.Backend)):
		return nil, nil
	case f.reference == "":
		return referenceBackend(p, backends[0])
	}
	return referenceBackend(p, f.reference)
}

// referenceBackend returns a backend of a plan's plugin as a reference, without options.
func referenceBackend(p *bench.Plan, name string) (*conformance.ReferencePlugin, error) {
	if !slices.Contains(p.Served.Description.Backends, name) {
		return nil, sdk.Usage(fmt.Errorf("--reference: %w",
			suggest.Unknown("backend of "+p.Served.Path, name, p.Served.Description.Backends)))
	}
	r := &conformance.ReferencePlugin{Binary: p.Served.Path, Open: p.Options}
	r.Open.Backend, r.Open.BackendOptions, r.Open.Devices = name, nil, nil
	return r, nil
}

// subjectText describes the checked model and backend.
func subjectText(o sdk.Options) string {
	text := "model " + o.Model
	if o.Backend != "" {
		text += ", backend " + o.Backend
	}
	if len(o.Devices) > 0 {
		text += ", devices " + strings.Join(o.Devices, ", ")
	}
	return text
}

// hideSecrets returns a result without secrets.
func (a *app) hideSecrets(r conformance.CheckResult) conformance.CheckResult {
	r.Detail = a.Secrets.Hide(r.Detail)
	return r
}

func (a *app) printCheck(r conformance.CheckResult) {
	r = a.hideSecrets(r)
	t := table.Table{}
	outcome := terminal.StyleVerdict(string(r.Outcome))
	outcome.Text = fmt.Sprintf("%-4s", r.Outcome) // the rows are written one by one
	t.Row(outcome, fmt.Sprintf("%-13s", r.Name), fmt.Sprintf("%6.1f s", r.Seconds), r.Detail)
	if r.Outcome == conformance.Fail {
		t.Row("    ", fmt.Sprintf("%-13s", ""), "        ", "-> must hold: "+r.About)
	}
	_, _ = t.WriteTo(a.Stdout)
}

func verdictText(results []conformance.CheckResult) string {
	failed, skipped := conformance.CountFailures(results), 0
	for _, r := range results {
		if r.Outcome == conformance.Skip {
			skipped++
		}
	}
	switch {
	case failed > 0:
		return fmt.Sprintf("%d of %d checks failed, %d skipped", failed, len(results), skipped)
	case skipped > 0:
		return fmt.Sprintf("sound: %d checks passed, %d skipped", len(results)-skipped, skipped)
	}
	return fmt.Sprintf("sound: %d checks passed", len(results))
}

// verifyJSON prints the results as JSON. whole means that all checks were made.
func (a *app) verifyJSON(path string, o sdk.Options, results []conformance.CheckResult, whole bool) error {
	return shell.WriteJSON(a.Data, struct {
		Plugin  string                    `json:"plugin"`
		Model   string                    `json:"model"`
		Backend string                    `json:"backend,omitempty"`
		Sound   bool                      `json:"sound"`
		Checks  []conformance.CheckResult `json:"checks"`
	}{path, o.Model, o.Backend, whole && conformance.CountFailures(results) == 0, results})
}
