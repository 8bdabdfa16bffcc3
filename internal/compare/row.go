package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// newPair compares two groups whose runs are alike.
func newPair(a, b runGroup) ScenarioPair {
	first := b.runs[0]
	p := ScenarioPair{
		Name: pairName(a, b), Model: first.Model, Scenario: first.Scenario, Kind: first.Kind(),
		BaseRuns: len(a.runs), NewRuns: len(b.runs),
		Differs: differencesBetween(a, b), Notes: append(groupRemarks(a), groupRemarks(b)...), Rows: []FigureRow{},
	}
	base, next := gatherFigures(a.runs), gatherFigures(b.runs)
	for _, m := range base.order {
		if y, ok := next.values[m.Name]; ok {
			if m.Better == "" { // runs of older versions lack it
				m.Better = next.betterDirection(m.Name)
			}
			p.Rows = append(p.Rows, newRow(m, base.values[m.Name], y))
			if titles := joinTitles(base.titles[m.Name], next.titles[m.Name]); m.Main && len(titles) > 1 {
				p.Notes = append(p.Notes, fmt.Sprintf("%s is not the same figure in all runs: %s", m.Name,
					strings.Join(titles, "; ")))
			}
		} else if m.Main {
			p.Notes = append(p.Notes, fmt.Sprintf("%s is known of %s alone", m.Title, a.side))
		}
	}
	return p
}

// joinTitles returns the titles of both sides, each once, in the order of their first occurrence.
func joinTitles(base, next []string) (titles []string) {
	for _, title := range slices.Concat(base, next) {
		if !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	return titles
}

// pairName returns the common part of the names of all runs. If models, scenarios or modes differ, it contains the new
// side's.
func pairName(a, b runGroup) string {
	all := runRecords(slices.Concat(b.runs, a.runs))
	for i := range all {
		first := all[0]
		all[i].Model, all[i].Scenario, all[i].Mode, all[i].Test = first.Model, first.Scenario, first.Mode, first.Test
	}
	return names.Common(all...)
}

// groupRemarks returns remarks on a group's runs, such as those that are INVALID.
func groupRemarks(g runGroup) []string {
	bad, all := 0, []string{}
	for _, r := range g.runs {
		if r.ExitCode != 0 {
			bad++
		}
		for _, n := range r.Notes {
			if n.About == results.FilesSubject {
				all = append(all, fmt.Sprintf("%s: %s", r.LogFolder(), n.Text))
			}
		}
	}
	runs := figure.Plural(len(g.runs), "run")
	if bad > 0 {
		all = append(all, fmt.Sprintf("%d of the %s of %s: %s", bad, runs, g.side, badVerdicts(g.runs)))
	}
	if disturbed, most := otherProgramsNote(g.runs); disturbed > 0 {
		all = append(all, fmt.Sprintf("%d of the %s of %s: %s", disturbed, runs, g.side, most))
	}
	if n, text := fewSamplesNote(g.runs); n > 0 {
		all = append(all, fmt.Sprintf("%d of the %s of %s: %s", n, runs, g.side, text))
	}
	return all
}

// fewSamplesNote counts the runs with too few latencies for some percentiles of the comparison. text names these
// percentiles for the run with the fewest latencies.
func fewSamplesNote(runs []results.FoundRun) (n int, text string) {
	least := math.MaxInt
	for _, r := range runs {
		count, names := r.TooFewLatencies()
		if names == "" {
			continue
		}
		n++
		if count < least {
			least = count
			text = fmt.Sprintf("too few latencies (%s) for %s, which are the slowest or next to it",
				figure.Count(uint64(count)), names)
		}
	}
	if n > 1 {
		text = "at worst " + text
	}
	return n, text
}

// otherProgramsNote counts the runs with a note that other programs used the processors. text is the note with the
// highest use.
func otherProgramsNote(runs []results.FoundRun) (n int, text string) {
	most := -1.0
	for _, r := range runs {
		i := slices.IndexFunc(r.Notes, func(f record.Finding) bool { return f.About == record.AboutOthers })
		if i < 0 || r.OtherPrograms == nil {
			continue
		}
		n++
		if share := r.OtherPrograms.Share + r.OtherPrograms.Stolen; share > most {
			most, text = share, r.Notes[i].Text
		}
	}
	if n > 1 {
		text = "at worst " + text
	}
	return n, text
}

// badVerdicts lists the verdicts of the runs that are not good, each once.
func badVerdicts(runs []results.FoundRun) string {
	text := ""
	var seen []string
	for _, r := range runs {
		verdict := r.Verdict
		if r.TestVerdict != "" {
			verdict = r.Test + " " + string(r.TestVerdict)
		}
		if r.ExitCode == 0 || slices.Contains(seen, verdict) {
			continue
		}
		if seen = append(seen, verdict); text != "" {
			text += ", "
		}
		text += verdict
	}
	return text
}

// runFigures contains the figures of several runs.
type runFigures struct {
	order  []metric.Metric
	values map[string][]float64
	titles map[string][]string // by name, because a result may be an estimate in some runs and a percentile in others
}

// gatherFigures returns the figures that all runs contain.
func gatherFigures(runs []results.FoundRun) runFigures {
	m := runFigures{values: map[string][]float64{}, titles: map[string][]string{}}
	for _, r := range runs {
		for _, f := range r.Metrics() {
			if m.values[f.Name] == nil {
				m.order = append(m.order, f)
			}
			m.values[f.Name] = append(m.values[f.Name], f.Value)
			m.titles[f.Name] = append(m.titles[f.Name], f.Title)
		}
	}
	m.order = slices.DeleteFunc(m.order, func(f metric.Metric) bool {
		short := len(m.values[f.Name]) < len(runs)
		if short {
			delete(m.values, f.Name)
		}
		return short
	})
	return m
}

// betterDirection returns the direction in which a figure improves.
func (m runFigures) betterDirection(name string) sdk.MetricDirection {
	i := slices.IndexFunc(m.order, func(f metric.Metric) bool { return f.Name == name })
	return m.order[i].Better
}

func newRow(m metric.Metric, base, next []float64) FigureRow {
	r := FigureRow{
		Name: m.Name, Aliases: m.Also, Title: m.Title, Unit: m.Unit, Main: m.Main,
		Base: newSample(base), New: newSample(next), P: figure.Number(math.NaN()),
	}
	if m.Better != sdk.NeitherBetter {
		r.Better = string(m.Better)
	}
	r.Change = figure.Number(math.NaN())
	if r.Base.Median != 0 {
		r.Change = figure.Number(r.New.Median/r.Base.Median - 1)
	}
	r.Verdict = VerdictUnknown
	if smallestP(len(base), len(next)) < SignificanceLevel {
		p := mannWhitney(base, next)
		r.P, r.Verdict = figure.Number(p), judgeDifference(m.Better, r.New.Median-r.Base.Median, p)
	}
	return r
}

// judgeDifference returns the verdict on a difference with p-value p. If the medians are equal, the verdict is Within
// even if the ranks differ, because there is no direction.
func judgeDifference(better sdk.MetricDirection, difference, p float64) DifferenceVerdict {
	switch {
	case p >= SignificanceLevel || difference == 0:
		return VerdictWithin
	case better != sdk.HigherBetter && better != sdk.LowerBetter:
		return VerdictChanged
	case (difference > 0) == (better == sdk.HigherBetter):
		return VerdictImproved
	}
	return VerdictWorsened
}

func newSample(values []float64) FigureSample {
	return FigureSample{Values: values, Median: median(values), Min: slices.Min(values), Max: slices.Max(values)}
}

// median returns the middle value, or the mean of the two middle values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2
}
