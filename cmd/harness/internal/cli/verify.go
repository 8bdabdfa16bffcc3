package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/conformance"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plan"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/table"
)

const verifyHelp = `Prove a plugin sound, or a backend inside one: start it, use it as a run does and as a bad day does, and say for each check
what was found.

  harness verify resnet50                                    the plugin, on its default backend
  harness verify resnet50 --backend acme --reference ort     a backend, against the answers of another
  harness verify resnet50 --plugin ./plumbline-plugin-acme   a binary that is not installed

Exit codes: 0 every check passed, 5 one failed.`

// verifyFlags are the flags of verify.
type verifyFlags struct {
	*pluginFlags
	request   plan.Request
	reference string
	only      []string
	json      bool
}

func (a *app) verifyCommand(f *pluginFlags) *cobra.Command {
	v := &verifyFlags{pluginFlags: f}
	c := &cobra.Command{
		Use: "verify MODEL", Short: "Prove a plugin or a backend sound", Long: verifyHelp,
		Args: oneArgument("a model or a benchmark, as harness list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			v.request.Model = args[0]
			return a.verify(c, v)
		},
	}
	flags, r := c.Flags(), &v.request
	flags.StringVar(&r.ModelFile, "model", "", "model file: `NAME` from describe, or a path (default: the embedded one)")
	flags.StringVar(&r.Precision, "precision", "", "`PRECISION` of the embedded model: fp32 or int8 (default fp32)")
	flags.StringVar(&r.Dataset, "dataset", "", "`DIR` of a data set in the official layout (default: the plugin's own)")
	flags.IntVar(&r.Count, "count", 0, "check the accuracy of the first `N` samples, and use them in all checks (default: all, and 24)")
	flags.StringVar(&r.Backend, "backend", "", "backend `NAME` (default: the plugin's first)")
	flags.StringArrayVar(&r.BackendOptions, "backend-opt", nil, "an option of the backend: `KEY=VALUE` (repeatable)")
	flags.StringArrayVar(&r.Params, "param", nil, "an option of the benchmark: `KEY=VALUE` (repeatable)")
	flags.StringVar(&v.reference, "reference", "", "compare the answers with those of this `BACKEND` of the same plugin")
	flags.StringSliceVar(&v.only, "only", nil, "only these `CHECKS`: "+strings.Join(conformance.Names(), ", "))
	flags.BoolVar(&v.json, "json", false, "print JSON")
	return c
}

func (a *app) verify(c *cobra.Command, f *verifyFlags) error {
	for _, name := range f.only {
		if !slices.Contains(conformance.Names(), name) {
			return exitcode.With(exitcode.Usage, fmt.Errorf("unknown check %q, want one of %s", name, strings.Join(conformance.Names(), ", ")))
		}
	}
	p, err := a.build(c, f.pluginFlags, f.request)
	if err != nil {
		return err
	}
	s := conformance.Subject{Binary: p.Served.Path, Open: p.Options, Only: f.only}
	if f.reference != "" {
		s.Reference = &conformance.Reference{Open: p.Options}
		s.Reference.Open.Backend, s.Reference.Open.BackendOptions = f.reference, nil
	}
	report := a.printCheck
	if f.json {
		report = nil
	} else {
		fmt.Fprintf(a.Stdout, "%s\n\n", strings.TrimSpace(p.Served.Path+" "+subjectText(p.Options)))
	}
	results := conformance.Run(c.Context(), s, report)
	if f.json {
		err = a.verifyJSON(p.Served.Path, p.Options, results)
	} else {
		fmt.Fprintf(a.Stdout, "\n%s\n", verdictText(results))
	}
	if err == nil && conformance.Failed(results) > 0 {
		err = &exitcode.Outcome{Code: exitcode.Plugin}
	}
	return err
}

// subjectText names what of a plugin is checked.
func subjectText(o sdk.Options) string {
	text := "model " + o.Model
	if o.Backend != "" {
		text += ", backend " + o.Backend
	}
	return text
}

func (a *app) printCheck(r conformance.Result) {
	t := table.Table{Width: 140}
	t.Row(fmt.Sprintf("%-4s", r.Outcome), fmt.Sprintf("%-13s", r.Name), fmt.Sprintf("%6.1f s", r.Seconds), r.Detail)
	if r.Outcome == conformance.Fail {
		t.Row("    ", fmt.Sprintf("%-13s", ""), "        ", "-> must hold: "+r.About)
	}
	_, _ = t.WriteTo(a.Stdout)
}

func verdictText(results []conformance.Result) string {
	failed, skipped := conformance.Failed(results), 0
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

// verifyJSON prints the results for programs.
func (a *app) verifyJSON(path string, o sdk.Options, results []conformance.Result) error {
	e := json.NewEncoder(a.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Plugin  string               `json:"plugin"`
		Model   string               `json:"model"`
		Backend string               `json:"backend,omitempty"`
		Sound   bool                 `json:"sound"`
		Checks  []conformance.Result `json:"checks"`
	}{path, o.Model, o.Backend, conformance.Failed(results) == 0, results})
}
