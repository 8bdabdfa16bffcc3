package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// machineView is a machine's overview, with one row for each benchmark.
type machineView struct {
	Groups    []machineGroup // benchmarks with a model, then those with a stand-in
	Left      []record.Benchmark
	Reference string // the reference's folder; empty: no reference
}

// machineGroup is a part of the table. Title is empty for the first one.
type machineGroup struct {
	Title string
	Rows  []machineRow
}

// machineRow contains the worst verdict and the figures of a benchmark's runs.
type machineRow struct {
	Name string
	runVerdict
	Figures  []machineFigure
	Accuracy []string
	Why      []machineReason // why it is not good
}

// machineReason is a reason why some runs are not good.
type machineReason struct {
	Runs []string // "Offline performance"
	Text string
}

// machineFigure is the result of a performance run.
type machineFigure struct {
	Scenario, Value, Latency string
	ID                       string // HTML id of the run's section; empty: no section
	run                      int    // index in the list of runs
	Asked                    string // the rate that the schedule asked for; empty: none
	Invalid                  bool
	Ratio                    string // relative to the reference, "1.34 times as fast"; empty: no reference
	Bar                      *shareBar
}

// maxMachineRows limits the benchmarks in a machine's table. More benchmarks hardly belong to one machine.
const maxMachineRows = 80

// makeMachine returns the table of a machine. It returns nil if all runs are of one model, measure servers, or are logs
// of several systems.
func makeMachine(set, reference results.Set, referenceName string) *machineView {
	var names []string
	of := map[string][]int{}
	for i, f := range set.Runs {
		if f.Place != nil {
			return nil
		}
		if f.Serving != nil || f.Test != "" {
			continue
		}
		if len(of[f.Model]) == 0 {
			names = append(names, f.Model)
		}
		of[f.Model] = append(of[f.Model], i)
	}
	if len(names) < 2 || len(names) > maxMachineRows {
		return nil
	}
	v := &machineView{Reference: referenceName}
	models, standIns := machineGroup{}, machineGroup{Title: "Stand-ins: these figures are not those of a real model"}
	for _, name := range names {
		row := machineRow{Name: name, runVerdict: runVerdict{Class: "good", Sign: "✓", Verdict: "VALID"}}
		for _, i := range of[name] {
			other, compared := findReference(set.Runs[i].Run, reference)
			row.addRun(set.Runs[i].Run, i, other, compared)
		}
		if standsIn(set.Benchmarks, name) {
			standIns.Rows = append(standIns.Rows, row)
		} else {
			models.Rows = append(models.Rows, row)
		}
	}
	for _, g := range []machineGroup{models, standIns} {
		slices.SortStableFunc(g.Rows, func(a, b machineRow) int { return severityOf(b.Class) - severityOf(a.Class) })
		if len(g.Rows) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	for _, b := range set.Benchmarks {
		if b.Left != "" {
			v.Left = append(v.Left, b)
		}
	}
	return v
}

// unlinkFrom removes the links to the sections of runs from index first on, because the page has no room for these
// sections.
func (v *machineView) unlinkFrom(first int) {
	if v == nil {
		return
	}
	for _, g := range v.Groups {
		for _, row := range g.Rows {
			for i := range row.Figures {
				if row.Figures[i].run >= first {
					row.Figures[i].ID = ""
				}
			}
		}
	}
}

// standsIn reports whether a model's benchmark uses a stand-in for the model.
func standsIn(benchmarks []record.Benchmark, model string) bool {
	return slices.ContainsFunc(benchmarks, func(b record.Benchmark) bool {
		return b.StandIn != "" && slices.Contains(b.Models, model)
	})
}

// severityOf returns the rank of a verdict's class; the worst has the largest.
func severityOf(class string) int {
	return slices.Index([]string{"good", "plain", "warn", "bad"}, class)
}

// findReference returns the reference run to compare a run with. ok is false if there is none.
func findReference(r record.Run, reference results.Set) (found record.Run, ok bool) {
	at := slices.IndexFunc(reference.Runs, func(f results.FoundRun) bool {
		return f.Model == r.Model && f.Scenario == r.Scenario && f.Kind() == r.Kind() && f.Status == record.Complete
	})
	if at < 0 {
		return found, false
	}
	return reference.Runs[at].Run, true
}

// addRun adds a run to the row of its benchmark.
func (m *machineRow) addRun(r record.Run, place int, reference record.Run, compared bool) {
	if v := verdictOf(r); severityOf(v.Class) > severityOf(m.Class) {
		m.runVerdict = v
	}
	m.addReasons(r)
	headline, ok := r.Headline()
	switch {
	case !ok:
	case r.Accuracy != nil:
		text := headline.String() + " " + headline.Name
		if judged := judgedBy(r); len(judged) > 0 {
			text += ", " + judged[0].Limit
		}
		if !slices.Contains(m.Accuracy, text) {
			m.Accuracy = append(m.Accuracy, text)
		}
	default:
		f := machineFigure{
			Scenario: r.Scenario, Value: headline.String(), Latency: tailText(r), ID: sectionID(place), run: place,
			Invalid: isInvalid(r),
		}
		if asked := plotFacts(r).TargetSamplesPer; asked > 0 {
			f.Asked = "of " + figure.Short(asked) + " samples/s asked for by the schedule, not a maximum"
		}
		if other, known := reference.Headline(); compared && known {
			f.compare(headline, other, betterOf(r))
		}
		m.Figures = append(m.Figures, f)
	}
}

// addReasons adds the reasons why a run is not good. Runs with the same reason share an entry.
func (m *machineRow) addReasons(r record.Run) {
	var why []string
	for _, reason := range r.Reasons {
		why = append(why, fmt.Sprintf("%s: %s, needed %s", reason.Rule, reason.Measured, reason.Needed))
	}
	if r.Error != nil {
		line, _, _ := strings.Cut(r.Error.Message, "\n")
		why = append(why, line)
	}
	if len(why) == 0 && (r.Status == record.NotRun || r.Status == record.Interrupted) {
		why = append(why, r.Verdict)
	}
	name := r.Scenario + " " + r.Kind()
	for _, text := range why {
		at := slices.IndexFunc(m.Why, func(w machineReason) bool { return w.Text == text })
		if at < 0 {
			m.Why = append(m.Why, machineReason{[]string{name}, text})
		} else if !slices.Contains(m.Why[at].Runs, name) {
			m.Why[at].Runs = append(m.Why[at].Runs, name)
		}
	}
}

// String returns the runs and the reason: "Offline performance, Server performance: min_duration: 2 s, needed 600 s".
func (w machineReason) String() string { return strings.Join(w.Runs, ", ") + ": " + w.Text }

// tailText returns the 99th percentile of a run's latency, "p99 12.3 ms". It is empty for Offline, whose latencies are
// not meaningful.
func tailText(r record.Run) string {
	if r.Performance == nil || r.Scenario == loadgen.Offline.String() {
		return ""
	}
	for _, p := range r.Performance.Latency.Percentiles {
		if p.P == 0.99 {
			if n := r.Performance.Latency.Count; n > 0 && !metrics.EnoughValues(int(n), p.P) {
				return "p99 " + metrics.TooFew
			}
			if d := time.Duration(p.NS); d >= time.Second {
				return "p99 " + figure.Seconds(d)
			}
			return "p99 " + figure.Short(float64(p.NS)/1e6) + " ms"
		}
	}
	return ""
}

// betterOf returns the direction in which a run's headline figure improves.
func betterOf(r record.Run) sdk.MetricDirection {
	if r.Scenario == loadgen.SingleStream.String() || r.Scenario == loadgen.MultiStream.String() {
		return sdk.LowerBetter
	}
	return sdk.HigherBetter
}

// compare sets the ratio and the bar of a figure. The bar's mark is the reference, and a longer bar is better.
func (f *machineFigure) compare(own, other record.Figure, better sdk.MetricDirection) {
	if own.Unit != other.Unit || own.Value <= 0 || other.Value <= 0 {
		return
	}
	ratio := float64(own.Value / other.Value)
	if better == sdk.LowerBetter {
		ratio = 1 / ratio
	}
	if math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		return
	}
	f.Ratio = fmt.Sprintf("%.2f times as fast", ratio)
	f.Bar = &shareBar{Invalid: f.Invalid,
		Alt: f.Ratio + " as the reference with " + other.String(), Part: roundTenth(min(100, 50*ratio)), Target: 50,
	}
}
