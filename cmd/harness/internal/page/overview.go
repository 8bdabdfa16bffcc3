package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// The maximum number of runs read for common charts, and of groups with charts.
const (
	maxRead   = 100
	maxGroups = 6
)

// runGroup contains runs of one model and scenario.
type runGroup struct {
	title string
	runs  []plot.Run
	found []results.FoundRun
}

// runOverview contains the charts of all runs together.
type runOverview struct {
	rates, latencies []plot.Row
	groups           []runGroup
}

// overviewCharts returns the common charts of the runs: the throughput and the latency of each, and charts with several
// runs overlaid.
func overviewCharts(runs []results.FoundRun, called []names.Name) (all []plot.Chart) {
	all = sweepCharts(runs)
	var o runOverview
	for i, f := range runs[:min(len(runs), maxRead)] {
		if f.Performance != nil {
			o.addRun(f, called[i].Short)
		}
	}
	x := plot.Axis{Label: "samples/s"}
	if c, ok := plot.Overview("overview-throughput", "Throughput of each run", x, o.rates); ok {
		all = append(all, c)
	}
	x = plot.Axis{Label: "latency", Of: plot.Latency, Scale: plot.Log, Min: math.MaxInt64}
	for _, r := range o.latencies {
		x.Min = min(x.Min, r.Low)
	}
	if c, ok := plot.Overview("overview-latency", "Latency of each run", x, o.latencies); ok {
		all = append(all, c)
	}
	for k, g := range o.groups[:min(len(o.groups), maxGroups)] {
		for i, n := range names.NameRuns(g.found) {
			g.runs[i].Name = n.Short
		}
		for _, c := range plot.Overlays(g.runs) {
			c.ID, c.Title = fmt.Sprintf("overlay-%d-%s", k+1, c.ID), c.Title+", runs of "+g.title
			all = append(all, c)
		}
	}
	return all
}

// Plot is a chart that can be shown alone.
type Plot struct {
	plot.Chart
	Folder string // the run's folder; empty for a chart of several runs
	// File is a unique file name without an extension, made of the run's name and the chart's subject.
	File string
}

// Plots returns the charts of each run and the common ones.
func (r Report) Plots() []Plot {
	var all []Plot
	called := names.NameRuns(r.Set.Runs)
	files := names.FileNames(called)
	for i, f := range r.Set.Runs {
		charts, _ := Charts(f)
		for _, c := range charts {
			c.Of = called[i].Full + madeText([]results.FoundRun{f})
			all = append(all, Plot{c, f.LogFolder(), files[i] + "-" + c.ID})
		}
	}
	if len(r.Set.Runs) > 1 {
		for _, c := range overviewCharts(r.Set.Runs, called) {
			c.Of = names.Common(recordsOf(r.Set.Runs)...) + madeText(r.Set.Runs)
			all = append(all, Plot{Chart: c, File: c.ID})
		}
	}
	for i, t := range r.Tuned {
		for _, c := range t.searchCharts() {
			c.Of = t.searchName() + "; " + t.Machine.String()
			all = append(all, Plot{c, t.Path, fmt.Sprintf("profile-%d-%s", i+1, c.ID)})
		}
	}
	return all
}

func recordsOf(runs []results.FoundRun) []record.Run {
	records := make([]record.Run, len(runs))
	for i, f := range runs {
		records[i] = f.Run
	}
	return records
}

// madeText states the software, the machine and the dates of the runs.
func madeText(runs []results.FoundRun) (text string) {
	for _, f := range runFacts(runs) {
		switch f.Name {
		case "backend", "machine", "as stated", "date":
			text += "; " + strings.Join(f.Values, ", ")
		}
	}
	return text
}

// addRun adds a timed run. It omits Offline latencies, because they only reflect the total time of all samples.
func (o *runOverview) addRun(f results.FoundRun, name string) {
	facts := plotFacts(f.Run)
	if row, ok := rateRow(name, f.Run); ok {
		row.Asked, row.Invalid = facts.TargetSamplesPer, isInvalid(f.Run)
		o.rates = append(o.rates, row)
	}
	file, _, err := series.Find(f.SeriesFolder())
	if err != nil || f.Scenario == "Offline" {
		return
	}
	if row, ok := rangeRow(name, file, facts); ok {
		row.Invalid = isInvalid(f.Run)
		o.latencies = append(o.latencies, row)
	}
	title := f.Model + " " + f.Scenario
	at := slices.IndexFunc(o.groups, func(g runGroup) bool { return g.title == title })
	if at < 0 {
		at, o.groups = len(o.groups), append(o.groups, runGroup{title: title})
	}
	g := &o.groups[at]
	g.runs, g.found = append(g.runs, plot.Run{File: file, Facts: facts, Invalid: isInvalid(f.Run)}), append(g.found, f)
}

// rateRow returns the throughput of a run.
func rateRow(name string, r record.Run) (plot.Row, bool) {
	for _, f := range append([]record.Figure{r.Performance.Metric}, r.Performance.Figures...) {
		if f.Metric == metric.SamplesPerSecond.Name && float64(f.Value) > 0 {
			return plot.Row{Name: name, Value: f.String(), To: float64(f.Value)}, true
		}
	}
	if took := r.Duration; took > 0 && r.Performance.Samples > 0 {
		v := float64(r.Performance.Samples) / took
		return plot.Row{Name: name, Value: figure.Round(v) + " samples/s", To: v}, true
	}
	return plot.Row{}, false
}

// rangeRow returns the latencies of a run.
func rangeRow(name string, file *series.File, facts plot.Facts) (plot.Row, bool) {
	h := file.Histogram(metric.QueryLatency)
	if h == nil {
		h = file.Histogram(metric.Latency)
	}
	if h == nil || h.Count < 2 || h.Quantile(.001) <= 0 {
		return plot.Row{}, false
	}
	limit := facts.Limit
	if file.Histogram(metric.TTFT) != nil { // the limit applies to TTFT or TPOT, not to this latency
		limit = 0
	}
	return plot.RangeRow(name, h, facts, limit), true
}
