package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// SettingsCommand returns the command "harness settings".
func SettingsCommand(a *shell.App, f *shell.PluginFlags) *cobra.Command {
	r := bench.Request{Load: bench.Load{Mode: bench.ModePerformance}}
	var explain bool
	c := &cobra.Command{
		Use: "settings MODEL", Short: "Show every LoadGen setting of a run: value, unit and origin",
		Example: `  harness settings resnet50 --scenario Server --explain
  harness settings resnet50 --official --set Server.target_qps=500`,
		Args: shell.RequireOneArgument("a model's name"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Model.Name = args[0]
			p, err := a.NewPlan(c, f, r)
			if err != nil {
				return err
			}
			for i, run := range p.Runs {
				if i > 0 {
					fmt.Fprintln(a.Stdout)
				}
				if err := writeSettings(a.Stdout, run, explain); err != nil {
					return err
				}
			}
			return nil
		},
	}
	shell.AddSettingFlags(c.Flags(), &r)
	c.Flags().BoolVar(&explain, "explain", false, "also explain each setting")
	return c
}

// writeSettings prints the settings of one run.
func writeSettings(w io.Writer, run bench.PlannedRun, explain bool) error {
	title := fmt.Sprintf("%s %v %s", run.Model, run.Scenario, run.ModeName())
	terminal.WriterTo(w).Print(terminal.Span{Style: terminal.Heading, Text: title},
		fmt.Sprintf(": %s settings\n", run.Settings.Profile))
	if run.Replay {
		_, most := run.ReplayTimes()
		limit := fmt.Sprintf("for up to %v", most)
		if most == 0 {
			limit = "for as long as it takes"
		}
		_, err := fmt.Fprintf(w, "  no LoadGen: each turn of the data is asked once, in order, %s\n", limit)
		for _, row := range run.ReplayRows() {
			fmt.Fprintf(w, "  %s %s %s, %s\n", row.Key, row.Value, row.Unit, row.Origin)
		}
		return err
	}
	t := table.Table{Indent: "  ", RightAligned: []int{1}}
	for _, row := range run.Settings.Rows() {
		t.Row(row.Key, row.Value, row.Unit, row.Origin)
		if explain {
			t.Row("    " + row.Doc)
		}
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	for _, d := range run.Settings.Deviations {
		if run.Settings.Profile == settings.Custom {
			fmt.Fprintf(w, "  not as the rules: %s\n", d)
		}
	}
	for _, n := range run.Settings.Notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
	return nil
}
