package catalog

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
)

// DescribeCommand returns the command "harness describe".
func DescribeCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	return &cobra.Command{
		Use: "describe NAME", Short: "Describe a model: files, data sets, metrics, options, devices",
		Example: `  harness describe resnet50`,
		Args:    shell.RequireOneArgument("a model's name"),
		RunE: func(c *cobra.Command, args []string) error {
			catalog, err := a.Catalog(c, f)
			if err != nil {
				return err
			}
			served, err := catalog.Resolve(args[0])
			if err != nil {
				return err
			}
			if err := writeDescription(a.Stdout, served); err != nil {
				return err
			}
			infos, err := a.listBackends(c.Context(), served.Entry, f.Asked.Plugins.Launch)
			if err != nil {
				fmt.Fprintf(a.Stderr, "\nits backends cannot be asked: %v\n", err)
				return nil
			}
			return writeBackends(a.Stdout, infos)
		},
	}
}

// writeDescription prints a model's manifest entry by section. It omits empty sections.
func writeDescription(w io.Writer, s discover.Served) error {
	m := s.Model
	terminal.WriterTo(w).Print(terminal.Span{Style: terminal.Heading, Text: m.Name}, "  ", m.Summary, "\n\n")
	sections := []struct {
		title, flag string
		table       table.Table
	}{
		{"", "", identityTable(s)},
		{"Parts", "(--model PART=PATH)", partTable(m.Parts)},
		{"Files", "", fileTable(m.Files)},
		{"Models of the scorer", "(--scorer-model PART=PATH)", partTable(m.ScorerParts)},
		{"Files of these", "", fileTable(m.ScorerFiles)},
		{"Data sets", "", datasetTable(m.Datasets)},
		{"Metrics", "", metricTable(m.Metrics)},
		{"Options", "(--param NAME=VALUE)", paramTable(m.Params)},
		{"Work on data sets", "(harness dataset)", actionTable(m)},
		{"Smoke settings", "", smokeTable(m.Smoke)},
	}
	for _, section := range sections {
		if section.table.Len() == 0 {
			continue
		}
		if section.title != "" {
			writeHeading(w, section.title, section.flag)
		}
		if _, err := section.table.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// writeHeading writes the title of a section and the flag for it.
func writeHeading(w io.Writer, title, flag string) {
	terminal.WriterTo(w).Print("\n", terminal.Span{Style: terminal.Heading, Text: title},
		strings.TrimRight(" "+flag, " "), "\n")
}

func identityTable(s discover.Served) table.Table {
	t := table.Table{Indent: "  "}
	d := s.Description
	t.Row("benchmark", strings.TrimSpace(d.Name+" "+d.Version), d.Summary)
	t.Row("plugin", s.Path)
	t.Row("backends", shell.JoinOrDash(d.Backends))
	t.Row("scenarios", shell.JoinOrDash(scenarioNames(s.Model.Scenarios)))
	t.Row("LoadGen key", s.Model.LoadGenKey)
	if len(d.Models) > 1 {
		var others []string
		for _, m := range d.Models {
			if m.Name != s.Model.Name {
				others = append(others, m.Name)
			}
		}
		t.Row("also serves", strings.Join(others, ", "))
	}
	return t
}

func partTable(parts []sdk.PartInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, p := range parts {
		need := ""
		if p.Optional {
			need = "may be missing"
		}
		t.Row(p.Name, shell.TextOrDash(need), p.Note)
	}
	return t
}

func fileTable(files []sdk.ModelFile) table.Table {
	t := table.Table{Indent: "  "}
	for _, f := range files {
		where := f.URL
		if f.Embedded {
			where = "embedded"
		}
		size := "-"
		if f.Size > 0 {
			size = figure.Bytes(f.Size)
		}
		name := f.Name
		if f.Part != "" {
			name = f.Part + "=" + f.Name
		}
		t.Row(name, shell.TextOrDash(f.Precision), size, referenceText(f.Reference), shell.TextOrDash(f.Licence))
		for _, line := range []string{where, f.Note} {
			if line != "" {
				t.Row("    " + line)
			}
		}
	}
	return t
}

func referenceText(reference []sdk.Metric) string {
	var parts []string
	for _, m := range reference {
		parts = append(parts, fmt.Sprintf("%s %s", m.Name, quantityText(m.Value, m.Unit)))
	}
	return shell.JoinOrDash(parts)
}

// quantityText formats a rounded number with its unit.
func quantityText(v float64, unit string) string {
	return strings.TrimSpace(figure.Round(v) + " " + unit)
}

func datasetTable(sets []sdk.DatasetInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, d := range sets {
		kind := "--dataset PATH"
		switch {
		case d.Embedded:
			kind = "made by the plugin"
		case d.Use == sdk.UseAccuracy:
			kind = "--accuracy-dataset PATH"
		case d.Use != sdk.UsePerformance:
			kind = "--audit-dataset PATH"
		}
		if d.Use != sdk.UsePerformance {
			kind += ", for " + d.Use
		}
		t.Row(d.Name, figure.Count(uint64(max(0, d.Samples)))+" samples", kind, shell.TextOrDash(d.Licence))
		for _, line := range []string{d.Layout, d.Note} {
			if line != "" {
				t.Row("    " + line)
			}
		}
	}
	return t
}

func metricTable(metrics []sdk.MetricInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, m := range metrics {
		var limits []string
		if m.Target != 0 {
			limits = append(limits, "at least "+quantityText(m.Target, m.Unit))
		}
		if m.Upper != 0 {
			limits = append(limits, "at most "+quantityText(m.Upper, m.Unit))
		}
		target := cmp.Or(strings.Join(limits, ", "), "no target")
		if m.Share != 0 && m.Reference != 0 {
			target += fmt.Sprintf(" (%s %% of the FP32 reference, %s)", figure.Short(100*m.Share), quantityText(m.Reference,
				m.Unit))
		}
		t.Row(m.Name, target, map[sdk.MetricDirection]string{sdk.LowerBetter: "lower is better"}[m.Better])
	}
	return t
}

func paramTable(params []sdk.ParamInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, p := range params {
		t.Row(p.Name, "default "+shell.TextOrDash(p.Default), p.Help)
		if p.EmbeddedDefault != "" {
			t.Row("", "embedded: "+p.EmbeddedDefault, "")
		}
	}
	return t
}

// actionTable returns the command lines of the actions on the model's data sets.
func actionTable(m sdk.ModelInfo) table.Table {
	t := table.Table{Indent: "  "}
	for _, a := range m.DatasetActions {
		command := []string{a.Action, m.Name, a.Name}
		lines := []string{}
		for _, path := range []struct{ name, meaning string }{{"IN", a.Input}, {"OUT", a.Output}} {
			if path.meaning != "" {
				command = append(command, path.name)
				lines = append(lines, path.name+": "+path.meaning)
			}
		}
		for _, p := range a.Params {
			if slices.ContainsFunc(m.Params, func(of sdk.ParamInfo) bool { return of.Name == p.Name }) {
				continue // part of the options
			}
			lines = append(lines, fmt.Sprintf("--param %s=VALUE, default %s: %s", p.Name, shell.TextOrDash(p.Default), p.Help))
		}
		t.Row(strings.Join(command, " "), a.Summary)
		for _, line := range lines {
			t.Row("    " + line)
		}
	}
	return t
}

func smokeTable(smoke []sdk.SmokeSetting) table.Table {
	t := table.Table{Indent: "  "}
	for _, s := range smoke {
		t.Row(s.Scenario, s.Key, s.Value)
	}
	return t
}
