package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/conformance"
	"github.com/plumbline-ml/plumbline/serving/metrics"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// AllEntries returns all entries, by kind. The flags are those of root and its commands.
func AllEntries(root *cobra.Command) ([]WordEntry, error) {
	accuracies, err := accuracyEntries()
	if err != nil {
		return nil, err
	}
	all := ruleEntries()
	all = append(all, findingEntries()...)
	all = append(all, breachEntries()...)
	all = append(all, checkEntries()...)
	all = append(all, metricEntries()...)
	all = append(all, accuracies...)
	all = append(all, settingEntries()...)
	all = append(all, flagEntries(root)...)
	all = append(all, codeEntries()...)
	for i := range all {
		all[i].Page = all[i].Kind.Page()
	}
	return all, nil
}

func ruleEntries() []WordEntry {
	entryOf := func(r loadgen.Rule, folder string) WordEntry {
		return WordEntry{
			Word: r.Name, Kind: Rule, Meaning: r.Met, Formula: r.Formula, Applies: r.Scenarios, Source: r.Source,
			Code: CodePlace{folder, r.Code},
		}
	}
	var entries []WordEntry
	for _, r := range loadgen.Rules() {
		entries = append(entries, entryOf(r, "loadgen"))
	}
	return append(entries, entryOf(record.PowerRule(), "bench/record"))
}

func findingEntries() []WordEntry {
	entries := []WordEntry{}
	for _, r := range check.Rules() {
		entries = append(entries, WordEntry{
			Word: r.Name, Kind: Finding, Meaning: r.Requires, Source: r.Source,
			Code: CodePlace{"internal/submission/check", r.Code},
		})
	}
	return entries
}

func breachEntries() []WordEntry {
	entries := []WordEntry{}
	for _, b := range check.Breaches() {
		entries = append(entries, WordEntry{
			Word: string(b.Kind), Kind: Breach, Meaning: strings.Join(b.Texts, "; "),
			Code: CodePlace{"internal/submission/check", "kindOf"},
		})
	}
	return entries
}

func checkEntries() []WordEntry {
	entries := []WordEntry{}
	for _, name := range conformance.CheckNames() {
		entries = append(entries, WordEntry{Word: name, Kind: Check, Meaning: conformance.CheckAbout(name),
			Code: CodePlace{"sdk/conformance", "allChecks"}})
	}
	return entries
}

func metricEntries() (all []WordEntry) {
	for _, i := range append(metric.Figures(), metric.ServingFigures()...) {
		all = appendMetric(all, figureEntry(i))
	}
	for _, t := range append(metric.Distributions(), metric.ServingDistributions()...) {
		all = appendMetric(all, WordEntry{
			Word: t.Key, Kind: Metric, Meaning: t.About, Formula: t.Formula, Unit: metric.Millis,
			Better: string(sdk.LowerBetter),
			Values: t.Mean().Name + ", " + t.Min().Name + ", " + t.Max().Name + ", and percentiles such as " + t.At(0.99).Name,
			Code:   parsePlace(t.Code),
		})
	}
	return all
}

// appendMetric appends an entry unless its word exists already, because runs and servers share some figures.
func appendMetric(all []WordEntry, e WordEntry) []WordEntry {
	for _, o := range all {
		if o.Word == e.Word && o.Meaning == e.Meaning {
			return all
		}
	}
	return append(all, e)
}

func figureEntry(i metric.Info) WordEntry {
	better := string(i.Better)
	if i.Better == sdk.NeitherBetter {
		better = ""
	}
	return WordEntry{
		Word: i.Name, Kind: Metric, Also: i.Also, Meaning: i.About, Formula: i.Formula, Unit: i.Unit, Better: better,
		Applies: strings.Join(i.In, ", "), Code: parsePlace(i.Code),
	}
}

// statisticEntries returns the entries of a distribution's names, such as "ttft.p99".
func statisticEntries(name string) (all []WordEntry) {
	for _, t := range append(metric.Distributions(), metric.ServingDistributions()...) {
		of, ours := strings.CutPrefix(strings.ToLower(name), t.Prefix)
		if !ours {
			continue
		}
		infos := []metric.Info{t.Mean(), t.Min(), t.Max()}
		if p, ok := metrics.ParsePercentile(of); ok {
			at := t.At(p)
			at.Formula = "sorted (" + t.Formula + ")[trunc(n * " + strconv.FormatFloat(p, 'g', -1, 64) + ")]"
			infos = append(infos, at)
		}
		for _, i := range infos {
			if e := figureEntry(i); e.has(name) {
				e.Page = e.Kind.Page()
				all = appendMetric(all, e)
			}
		}
	}
	return all
}

func accuracyEntries() ([]WordEntry, error) {
	names, err := mlconf.AccuracyMetrics()
	if err != nil {
		return nil, err
	}
	var all []WordEntry
	for _, name := range names {
		m, err := mlconf.AccuracyMetricOf(name)
		if err != nil {
			return nil, err
		}
		e := WordEntry{
			Word: name, Kind: Accuracy, Meaning: m.About, Formula: m.Formula, Unit: m.Unit, Better: m.Better,
			Code: CodePlace{"loadgen/mlconf", "AccuracyMetric"},
		}
		if m.Code != "" {
			e.Code = parsePlace(m.Code)
		}
		if m.Most > 0 {
			e.Values = "at most " + strconv.FormatFloat(m.Most, 'f', -1, 64)
		}
		all = append(all, e)
	}
	return all, nil
}

func settingEntries() []WordEntry {
	entries := []WordEntry{}
	for _, f := range loadgen.Fields() {
		e := WordEntry{
			Word: f.UserKey(), Kind: Setting, Meaning: f.Doc, Unit: f.Unit, Applies: f.Scenario,
			Values: f.Allowed(), Source: "rules of the round: harness settings MODEL shows the values",
			Code: CodePlace{"loadgen", "TestSettings." + f.Name},
		}
		if f.Official != e.Word {
			e.Also = []string{f.Official}
		}
		if e.Values != "" {
			e.Values = "allowed in an official run: " + e.Values
		}
		entries = append(entries, e)
	}
	return entries
}

func codeEntries() []WordEntry {
	byNumber := slices.SortedFunc(slices.Values(exitcode.Meanings()), func(a, b exitcode.Meaning) int {
		return cmp.Compare(a.Code, b.Code)
	})
	entries := make([]WordEntry, len(byNumber))
	for i, m := range byNumber {
		entries[i] = WordEntry{
			Word: strconv.Itoa(int(m.Code)), Kind: Code, Also: []string{m.Name}, Meaning: m.About,
			Code: CodePlace{"bench/exitcode", "Code"},
		}
	}
	return entries
}
