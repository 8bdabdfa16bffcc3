package runs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suite"
)

// runEverything runs all benchmarks of a round as a suite.
func (a *app) runEverything(c *cobra.Command, r *Flags) error {
	rules, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return sdk.Usage(err)
	}
	models, given, err := a.listModels(c, r)
	if err != nil {
		return err
	}
	given = slices.DeleteFunc(given, func(f suite.Flag) bool { return f.Name == "rules" })
	listed, err := suite.NewRoundSuite(rules, models, given)
	if err != nil {
		return sdk.Usage(err)
	}
	return a.runJobs(c, r, listed, nil)
}

// runSeveral runs several models as a suite.
func (a *app) runSeveral(c *cobra.Command, r *Flags, names []string) error {
	models, given, err := a.listModels(c, r)
	if err != nil {
		return err
	}
	listed, err := suite.NewModelSuite(names, models.All, given)
	if err != nil {
		return sdk.Usage(err)
	}
	return a.runJobs(c, r, listed, nil)
}

// listModels lists the models of all plugins, and the flags for each model.
func (a *app) listModels(c *cobra.Command, r *Flags) (models suite.RoundModels, given []suite.Flag, err error) {
	if err := rejectSingleModelFlags(c); err != nil {
		return models, nil, sdk.Usage(err)
	}
	if r.Plugins.Catalog, err = a.Catalog(c, r.PluginFlags); err != nil {
		return models, nil, err
	}
	if len(r.Plugins.Catalog.Entries) == 0 {
		return models, nil, r.Plugins.Catalog.None()
	}
	for _, e := range r.Plugins.Catalog.Entries {
		models.All = append(models.All, e.Description.Models...)
		if e.Err != nil {
			models.Missing = "no plugin that answers has it"
		}
	}
	if r.PluginFlags.Asked.Plugins.Name != "" {
		models.Missing = "left out by --plugin " + r.PluginFlags.Asked.Plugins.Name
	}
	others := slices.Clone(suiteCommandFlags)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { others = append(others, f.Name) })
	return models, suite.ListFlags(c.Flags(), others), nil
}

// rejectSingleModelFlags rejects flags that cannot apply to several models.
func rejectSingleModelFlags(c *cobra.Command) error {
	each := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddModelFlags(each, new(bench.Request))
	files := []string{"model", "dataset", "accuracy-dataset", "audit-dataset", "scorer-model", "expect", "audit", "target",
		"tuning", "precision-label", "power-logs"}
	var faults []string
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		if slices.Contains(files, f.Name) || each.Lookup(f.Name) == nil && !slices.Contains(suiteCommandFlags, f.Name) {
			faults = append(faults, "--"+f.Name)
		}
	})
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s: cannot be meant for each of several models; run one model with it, or write a suite "+
		"(harness new suite FILE)", strings.Join(faults, ", "))
}

// reportBroken reports the plugins that did not describe themselves, because they may have benchmarks of the round.
func (s *suiteRun) reportBroken() {
	for _, e := range s.catalog.Entries {
		if e.Err == nil {
			continue
		}
		err := plugin.Fault(e.Err)
		s.outcome.Add(exitcode.Of(err))
		s.PrintError(fmt.Errorf("plugin %s is left out: %w", e.Name, err))
	}
}

// benchmarkRow summarizes all runs of a benchmark.
type benchmarkRow struct {
	record.Benchmark
	suiteRow
	good, made, missing       int // numbers of runs
	timed                     int // good runs that measure performance
	reachedTarget, untargeted int // good accuracy runs that reach a target, and those without a target
	accuracy                  string
}

// benchmarkRows returns the summary of each benchmark of the round.
func (s *suiteRun) benchmarkRows() []benchmarkRow {
	rows := make([]benchmarkRow, len(s.Benchmarks))
	for i, b := range s.Benchmarks {
		row := benchmarkRow{Benchmark: b}
		for _, r := range s.results {
			if slices.Contains(b.Models, r.job.Model) {
				row.addResult(r)
			}
		}
		if len(row.verdicts) == 0 {
			row.verdicts = []string{"not run"}
		}
		rows[i] = row
	}
	return rows
}

func (r *benchmarkRow) addResult(one suiteResult) {
	r.addRepeat(one)
	switch {
	case one.unmadeReason == "" && one.run.ExitCode == int(exitcode.Valid):
		r.good++
		r.made++
	case one.unmadeReason == "" || one.failed:
		r.made++
	default:
		r.missing++
	}
	if one.unmadeReason == "" && one.run.ExitCode == int(exitcode.Valid) {
		r.addGoodRun(one.run)
	}
	r.Skipped = cmp.Or(r.Skipped, skippedText(one.run))
}

// addGoodRun counts the results of a good run.
func (r *benchmarkRow) addGoodRun(run record.Run) {
	if run.Accuracy == nil {
		r.timed++
		return
	}
	without := ""
	if run.Verdict == string(judge.Informational) {
		r.untargeted++
		without = ", no target"
	} else {
		r.reachedTarget++
	}
	if f, ok := run.Headline(); ok {
		r.accuracy = f.String() + " " + f.Name + without
	}
}

// provenText describes only what the good runs of the benchmark have shown.
func (r *benchmarkRow) provenText() string {
	performance, accuracy := "no performance measured", "no accuracy measured"
	if r.timed > 0 {
		performance = "every run VALID"
	}
	switch {
	case r.reachedTarget > 0 && r.untargeted == 0:
		accuracy = "every accuracy reached"
	case r.reachedTarget > 0:
		accuracy = "every accuracy reached that has a target"
	case r.untargeted > 0:
		accuracy = "accuracy without a target"
	}
	return performance + ", " + accuracy
}

// skippedText describes the samples that a scorer skipped because the required program, such as an interpreter, was not
// given.
func skippedText(r record.Run) string {
	if r.Accuracy == nil {
		return ""
	}
	for _, note := range r.Accuracy.Notes {
		if strings.Contains(note, "--param "+sdk.ExecuteParam+"=") {
			return note
		}
	}
	return ""
}

// benchmarkOutcome is the outcome of a benchmark of the round.
type benchmarkOutcome int

const (
	passed benchmarkOutcome = iota
	passedStandIn
	failed
	unfinished
	notRun
)

// outcome returns the outcome of the benchmark.
func (r *benchmarkRow) outcome() benchmarkOutcome {
	switch {
	case r.Left != "":
		return notRun
	case r.missing > 0:
		return unfinished
	case r.made == 0 || r.good < r.made:
		return failed
	case r.StandIn != "":
		return passedStandIn
	}
	return passed
}

// writeBenchmarks prints the summary of the round's benchmarks.
func (s *suiteRun) writeBenchmarks() error {
	rows := s.benchmarkRows()
	if len(rows) == 0 {
		return nil
	}
	t := table.Table{Indent: "  "}
	t.Head("benchmark", "model", "runs", "accuracy", "note")
	for i := range rows {
		r := &rows[i]
		var remarks []string
		for _, s := range []string{r.StandIn, r.Left} {
			if s != "" {
				remarks = append(remarks, s)
			}
		}
		note := strings.Join(remarks, "; ")
		t.Row(r.Name, strings.Join(r.Models, ", "), r.worstVerdict(), r.accuracy, note)
	}
	fmt.Fprintln(s.Stdout)
	if _, err := t.WriteTo(s.Stdout); err != nil {
		return err
	}
	return s.writeOutcomes(rows)
}

// writeLeft lists the benchmarks without runs, with the reasons, and those without a model.
func (s *suiteRun) writeLeft() error {
	t := table.Table{}
	for _, b := range s.Benchmarks {
		switch {
		case b.Left != "":
			t.Row(b.Name, "not run", b.Left)
		case b.StandIn != "":
			t.Row(b.Name, "no model", b.StandIn)
		}
	}
	if t.Len() > 0 {
		fmt.Fprintln(s.Stdout)
	}
	_, err := t.WriteTo(s.Stdout)
	return err
}

// writeOutcomes prints the numbers of benchmarks by outcome. Stand-ins are counted separately from models.
func (s *suiteRun) writeOutcomes(rows []benchmarkRow) error {
	of := map[benchmarkOutcome][]string{}
	skipped, left, proved := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for i := range rows {
		r := &rows[i]
		of[r.outcome()] = append(of[r.outcome()], r.Name)
		if r.outcome() == passed {
			proved[r.provenText()] = append(proved[r.provenText()], r.Name)
		}
		skipped[r.Skipped] = append(skipped[r.Skipped], r.Name)
		left[r.Left] = append(left[r.Left], r.Name)
	}
	out := terminal.WriterTo(s.Stdout)
	out.Print("\n", terminal.Span{Style: terminal.Heading, Text: s.Name}, ": "+
		figure.Plural(len(rows), "benchmark")+", smoke settings on embedded models unless flags say otherwise\n")
	for _, what := range slices.Sorted(maps.Keys(proved)) {
		line := fmt.Sprintf("  %d with a model: %s", len(proved[what]), what)
		if len(proved) > 1 {
			line += ": " + strings.Join(proved[what], ", ")
		}
		out.Print(line + "\n")
	}
	for _, kind := range []struct {
		benchmarkOutcome
		what string
	}{
		{passedStandIn, "with a stand-in instead of a model: its runs only exercise the pipeline"},
		{failed, "not VALID, below a target, or failed"},
	} {
		if names := of[kind.benchmarkOutcome]; len(names) > 0 {
			out.Print(fmt.Sprintf("  %d %s: %s\n", len(names), kind.what, strings.Join(names, ", ")))
		}
	}
	if n := len(of[unfinished]); n > 0 {
		out.Print(fmt.Sprintf("  %d with runs that were not made\n", n))
	}
	delete(skipped, "")
	delete(left, "")
	for _, why := range slices.Sorted(maps.Keys(left)) {
		out.Print(fmt.Sprintf("  %d %s: %s\n", len(left[why]), why, strings.Join(left[why], ", ")))
	}
	for _, what := range slices.Sorted(maps.Keys(skipped)) {
		out.Print(fmt.Sprintf("  skipped of %s: %s\n", strings.Join(skipped[what], ", "), what))
	}
	_, err := fmt.Fprintf(s.Stdout, "\nlogs and %s in %s\n%s\n", record.FileName, s.Out, s.toDocument().Note)
	return err
}
