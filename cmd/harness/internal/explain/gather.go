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

// All returns all entries, by kind. The flags are those of root and its commands.
func All(root *cobra.Command) ([]Entry, error) {
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

func ruleEntries() []Entry {
	entryOf := func(r loadgen.Rule, folder string) Entry {
		return Entry{
			Word: r.Name, Kind: Rule, Meaning: r.Met, Formula: r.Formula, Applies: r.Scenarios, Source: r.Source,
			Code: Place{folder, r.Code},
		}
	}
	var entries []Entry
	for _, r := range loadgen.Rules() {
		entries = append(entries, entryOf(r, "loadgen"))
	}
	return append(entries, entryOf(record.PowerRule(), "bench/record"))
}

func findingEntries() []Entry {
	entries := []Entry{}
	for _, r := range check.Rules() {
		entries = append(entries, Entry{
			Word: r.Name, Kind: Finding, Meaning: r.Requires, Source: r.Source,
			Code: Place{"internal/submission/check", r.Code},
		})
	}
	return entries
}

func breachEntries() []Entry {
	entries := []Entry{}
	for _, b := range check.Breaches() {
		entries = append(entries, Entry{
			Word: string(b.Kind), Kind: Breach, Meaning: strings.Join(b.Texts, "; "),
			Code: Place{"internal/submission/check", "kindOf"},
		})
	}
	return entries
}

func checkEntries() []Entry {
	entries := []Entry{}
	for _, name := range conformance.CheckNames() {
		entries = append(entries, Entry{Word: name, Kind: Check, Meaning: conformance.CheckAbout(name),
			Code: Place{"sdk/conformance", "allChecks"}})
	}
	return entries
}

func metricEntries() (all []Entry) {
	for _, i := range append(metric.Figures(), metric.ServingFigures()...) {
		all = appendMetric(all, figureEntry(i))
	}
	for _, t := range append(metric.Distributions(), metric.ServingDistributions()...) {
		all = appendMetric(all, Entry{
			Word: t.Key, Kind: Metric, Meaning: t.About, Formula: t.Formula, Unit: metric.Millis,
			Better: string(sdk.LowerBetter),
			Values: t.Mean().Name + ", " + t.Min().Name + ", " + t.Max().Name + ", and percentiles such as " + t.At(0.99).Name,
			Code:   placeOf(t.Code),
		})
	}
	return all
}

// appendMetric appends an entry unless its word exists already, because runs and servers share some figures.
func appendMetric(all []Entry, e Entry) []Entry {
	for _, o := range all {
		if o.Word == e.Word && o.Meaning == e.Meaning {
			return all
		}
	}
	return append(all, e)
}

func figureEntry(i metric.Info) Entry {
	better := string(i.Better)
	if i.Better == sdk.NeitherBetter {
		better = ""
	}
	return Entry{
		Word: i.Name, Kind: Metric, Also: i.Also, Meaning: i.About, Formula: i.Formula, Unit: i.Unit, Better: better,
		Applies: strings.Join(i.In, ", "), Code: placeOf(i.Code),
	}
}

// statistics returns the entries of a distribution's names, such as "ttft.p99".
func statistics(name string) (all []Entry) {
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

func accuracyEntries() ([]Entry, error) {
	names, err := mlconf.AccuracyMetrics()
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range names {
		m, err := mlconf.AccuracyMetricOf(name)
		if err != nil {
			return nil, err
		}
		e := Entry{
			Word: name, Kind: Accuracy, Meaning: m.About, Formula: m.Formula, Unit: m.Unit, Better: m.Better,
			Code: Place{"loadgen/mlconf", "AccuracyMetric"},
		}
		if m.Code != "" {
			e.Code = placeOf(m.Code)
		}
		if m.Most > 0 {
			e.Values = "at most " + strconv.FormatFloat(m.Most, 'f', -1, 64)
		}
		all = append(all, e)
	}
	return all, nil
}

func settingEntries() []Entry {
	entries := []Entry{}
	for _, f := range loadgen.Fields() {
		e := Entry{
			Word: f.UserKey(), Kind: Setting, Meaning: f.Doc, Unit: f.Unit, Applies: f.Scenario,
			Values: f.Allowed(), Source: "rules of the round: harness settings MODEL shows the values",
			Code: Place{"loadgen", "TestSettings." + f.Name},
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

func codeEntries() []Entry {
	byNumber := slices.SortedFunc(slices.Values(exitcode.Meanings()), func(a, b exitcode.Meaning) int {
		return cmp.Compare(a.Code, b.Code)
	})
	entries := make([]Entry, len(byNumber))
	for i, m := range byNumber {
		entries[i] = Entry{
			Word: strconv.Itoa(int(m.Code)), Kind: Code, Also: []string{m.Name}, Meaning: m.About,
			Code: Place{"bench/exitcode", "Code"},
		}
	}
	return entries
}
