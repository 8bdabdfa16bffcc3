package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
)

// dryRun prints the plan of harness run.
func (a *app) dryRun(p *bench.Plan) error {
	if err := p.ChooseOut(); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %s, nothing is run\n\n", p.Served.Model.Name, figure.Plural(len(p.Runs), "run"))
	t := planTable(p)
	if _, err := t.WriteTo(a.Stdout); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout)
	runs := table.Table{Indent: "  "}
	for i, run := range p.Runs {
		runs.Row(fmt.Sprintf("%d.", i+1), run.Scenario, run.ModeName(), run.Dir)
	}
	if _, err := runs.WriteTo(a.Stdout); err != nil {
		return err
	}
	for _, run := range p.Runs {
		fmt.Fprintln(a.Stdout)
		if err := writeSettings(a.Stdout, run, false); err != nil {
			return err
		}
	}
	return nil
}

func planTable(p *bench.Plan) table.Table {
	t := table.Table{Indent: "  "}
	t.Row("plugin", strings.TrimSpace(p.Served.Description.Name+" "+p.Served.Description.Version), p.Served.Path)
	t.Row("model", modelText(p))
	for _, row := range datasetRows(p) {
		t.Row(row[0], row[1])
	}
	t.Row("backend", backendText(p))
	if len(p.Options.Devices) > 0 {
		t.Row("devices", strings.Join(p.Options.Devices, ", "))
	}
	if p.Division != "closed" {
		t.Row("division", p.Division)
	}
	t.Row("settings", p.Profile)
	if text := p.TuningText(); text != "" {
		t.Row("tuning", text)
	}
	t.Row("output", p.Out)
	return t
}

func modelText(p *bench.Plan) string {
	switch {
	case p.File != nil && p.File.Embedded:
		return fmt.Sprintf("embedded, %s", p.File.Precision)
	case p.Options.ModelFile != "":
		return p.Options.ModelFile
	case len(p.Options.PartFiles) > 0:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(p.Options.PartFiles)) {
			parts = append(parts, name+"="+p.Options.PartFiles[name])
		}
		return strings.Join(parts, ", ")
	}
	return "embedded"
}

// datasetRows returns the data sets of the plan's runs: one, or one per use if they differ.
func datasetRows(p *bench.Plan) [][2]string {
	var rows [][2]string
	for _, run := range p.Runs {
		use := p.UseOf(run)
		row := [2]string{strings.TrimSpace(use + " data"), datasetText(p, use)}
		if _, own := p.Served.Model.DatasetOf(use); !own && p.DatasetPath(use) == p.Options.Dataset {
			row = [2]string{"data", datasetText(p, sdk.UsePerformance)}
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

func datasetText(p *bench.Plan, use string) string {
	text := p.DatasetPath(use)
	if text == "" {
		text = "the plugin's own"
		if all := p.Served.Model.DatasetsFor(use, true); len(all) > 0 {
			text = all[0].Name + " (the plugin's own)"
		}
	}
	if p.Options.Count > 0 {
		text += fmt.Sprintf(", first %s samples", figure.Count(uint64(p.Options.Count)))
	}
	return text
}

// backendText returns the backend's name and its options, sorted by key.
func backendText(p *bench.Plan) string {
	name := p.Options.Backend
	if name == "" && len(p.Served.Description.Backends) > 0 {
		name = p.Served.Description.Backends[0]
	}
	var options []string
	for key, value := range p.Shown(p.Options).BackendOptions {
		options = append(options, key+"="+value)
	}
	slices.Sort(options)
	return strings.TrimSpace(shell.TextOrDash(name) + " " + strings.Join(options, " "))
}
