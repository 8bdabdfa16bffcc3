// Package catalog contains the commands that show what plugins offer: list, describe, fetch and dataset.
package catalog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

// ListCommand returns the command "harness list".
func ListCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	var devices, long bool
	l := &cobra.Command{
		Use: "list", Short: "List the models that can be run", Example: `  harness list
  harness list --long         also plugins, backends, embedded models and scenarios
  harness list --devices      also the devices of each backend`, Args: shell.RejectArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			catalog, err := a.Catalog(c, f)
			if err != nil {
				return err
			}
			if err := a.printList(catalog, long); err != nil || !devices {
				return err
			}
			fmt.Fprintln(a.Stdout)
			return a.writeDevices(c.Context(), catalog, f.Asked.Plugins.Launch)
		},
	}
	l.Flags().BoolVar(&long, "long", false, "also show each model's plugin, backends, embedded files and scenarios")
	l.Flags().BoolVar(&devices, "devices", false, "also start each plugin and list the devices of its backends")
	return l
}

func (a *app) printList(catalog *discover.Catalog, long bool) error {
	if len(catalog.Entries) == 0 {
		return catalog.None()
	}
	write := writeModels
	if long {
		write = writeModelsLong
	}
	if err := write(a.Stdout, catalog); err != nil {
		return err
	}
	return a.ReportBroken(catalog)
}

// writeModels prints the models with one sentence each.
func writeModels(w io.Writer, catalog *discover.Catalog) error {
	t := table.Table{KeepWhole: true}
	t.Head("MODEL", "SUMMARY")
	for _, e := range catalog.Entries {
		for _, m := range e.Description.Models {
			first, _, _ := strings.Cut(m.Summary, ". ")
			t.Row(m.Name, first)
		}
	}
	_, err := t.WriteTo(w)
	return err
}

// writeModelsLong prints the models with their data sets, files and options.
func writeModelsLong(w io.Writer, catalog *discover.Catalog) error {
	t := table.Table{}
	t.Head("MODEL", "PLUGIN", "BACKENDS", "EMBEDDED", "SCENARIOS", "SUMMARY")
	for _, e := range catalog.Entries {
		for _, m := range e.Description.Models {
			t.Row(m.Name, e.Name, shell.JoinOrDash(e.Description.Backends), shell.JoinOrDash(embeddedPrecisions(m)),
				scenarioList(m.Scenarios), m.Summary)
		}
	}
	_, err := t.WriteTo(w)
	return err
}

// embeddedPrecisions returns the distinct precisions of a model's embedded files.
func embeddedPrecisions(m sdk.ModelInfo) []string {
	var out []string
	for _, f := range m.Files {
		if f.Embedded {
			if !slices.Contains(out, f.Precision) { // models with several parts have one file per part
				out = append(out, f.Precision)
			}
		}
	}
	return out
}

// scenarioList lists scenarios, with a short form for all of them.
func scenarioList(scenarios []loadgen.Scenario) string {
	if len(scenarios) == len(loadgen.Scenarios()) {
		return "all four"
	}
	return shell.JoinOrDash(scenarioNames(scenarios))
}

func scenarioNames(scenarios []loadgen.Scenario) []string {
	names := make([]string, len(scenarios))
	for i, scenario := range scenarios {
		names[i] = scenario.String()
	}
	return names
}
