package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/bench/record/results"
	"github.com/plumbline-ml/plumbline/bench/record/series"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
)

// fact is something that the runs were made with, one value for each way in which they differ.
type fact struct {
	Name   string
	Values []string
}

// mostValues is how many values of a fact are shown, and mostRead how many runs are looked at for charts of several.
const (
	mostValues = 4
	mostRead   = 100
)

// facts are what the runs were made with, and when.
func head(runs []results.Found) []fact {
	var all []fact
	at := map[string]int{}
	more := map[string]int{}
	for _, f := range runs {
		for _, r := range f.RanWith() {
			i, ok := at[r.Name]
			if !ok {
				i = len(all)
				at[r.Name], all = i, append(all, fact{Name: r.Name})
			}
			switch {
			case slices.Contains(all[i].Values, r.Value):
			case len(all[i].Values) < mostValues:
				all[i].Values = append(all[i].Values, r.Value)
			default:
				more[r.Name]++
			}
		}
	}
	for name, n := range more {
		all[at[name]].Values = append(all[at[name]].Values, fmt.Sprintf("and others (%s)", figure.Plural(n, "run")))
	}
	if text := dates(runs); text != "" {
		all = append(all, fact{"date", []string{text}})
	}
	return all
}

// dates are when the first and the last of the runs began.
func dates(runs []results.Found) string {
	var first, last time.Time
	for _, f := range runs {
		switch at := f.Started.UTC(); {
		case f.Started.IsZero():
		case first.IsZero():
			first, last = at, at
		default:
			if at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	if first.IsZero() {
		return ""
	}
	const day, minute = "2 January 2006", "15:04"
	text := first.Format(day + ", " + minute)
	switch {
	case first.Format(day) != last.Format(day):
		text += " to " + last.Format(day+", "+minute)
	case first.Format(minute) != last.Format(minute):
		text += " to " + last.Format(minute)
	}
	return text + " UTC"
}

// judged is a measured value beside what it is judged by.
type judged struct {
	Limit, Margin string
	Missed        bool
}

// judgedBy are the limits of a run with its margins, the values of which must not be above; for an accuracy, below.
func judgedBy(r record.Run) []judged {
	switch {
	case r.Accuracy != nil:
		return accuracyLimits(r.Accuracy)
	case r.Performance == nil || r.Effective == nil || r.Scenario != "Server":
		return nil
	}
	if t := r.Performance.Tokens; t != nil && t.TTFT != nil {
		all := []judged{below(metric.TTFT.Short, t.TTFT.Target, t.TTFT.LimitNS)}
		if t.TPOT != nil {
			all = append(all, below(metric.TPOT.Short, t.TPOT.Target, t.TPOT.LimitNS))
		}
		return slices.DeleteFunc(all, func(j judged) bool { return j.Limit == "" })
	}
	for _, p := range r.Performance.Latency.Percentiles {
		if p.P == r.Effective.TargetLatencyPercentile && r.Effective.TargetLatencyNS > 0 {
			return []judged{below("latency", p, r.Effective.TargetLatencyNS)}
		}
	}
	return nil
}

// below judges a time by its limit.
func below(what string, p record.Percentile, limit int64) judged {
	if limit <= 0 {
		return judged{}
	}
	at := "p" + strconv.FormatFloat(100*p.P, 'g', 6, 64)
	return judged{
		Limit:  fmt.Sprintf("%s %s %s, at most %s", at, what, plot.Duration(p.NS), plot.Duration(limit)),
		Margin: percent(float64(limit-p.NS) / float64(limit)), Missed: p.NS > limit,
	}
}

// accuracyLimits judges each metric that has a target.
func accuracyLimits(a *record.Accuracy) []judged {
	var all []judged
	for _, m := range a.Metrics {
		value, target, upper := float64(m.Value), float64(m.Target), float64(m.Upper)
		if target > 0 {
			all = append(all, judged{Limit: strings.TrimSpace(m.Name + " at least " + figure.Round(target) + " " + m.Unit),
				Margin: percent((value - target) / target), Missed: value < target})
		}
		if upper > 0 {
			all = append(all, judged{Limit: strings.TrimSpace(m.Name + " at most " + figure.Round(upper) + " " + m.Unit),
				Margin: percent((upper - value) / upper), Missed: value > upper})
		}
	}
	return all
}

// percent writes a margin, a fraction of the limit: "+12.3 %".
func percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf("%+.1f %%", 100*v)
}

// overview are the charts of all runs together: throughput and latency of each, and one over the other.
func (v *view) overview(runs []results.Found) {
	type group struct {
		runs  []plot.Run
		title string
	}
	var rates, ranges []plot.Row
	var groups []group
	least := math.Inf(1)
	for i, f := range runs[:min(len(runs), mostRead)] {
		if f.Performance == nil {
			continue
		}
		if row, ok := rateRow(v.names[i].Short, f.Run); ok {
			rates = append(rates, row)
		}
		file, _, err := series.Find(f.Timed())
		if err != nil || f.Scenario == "Offline" { // latencies there are how long all took
			continue
		}
		facts := facts(f.Run)
		if row, ok := rangeRow(v.names[i].Short, file, facts); ok {
			ranges, least = append(ranges, row), min(least, row.Low)
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.title == f.Model+" "+f.Scenario })
		if at < 0 {
			at, groups = len(groups), append(groups, group{title: f.Model + " " + f.Scenario})
		}
		groups[at].runs = append(groups[at].runs, plot.Run{Name: v.names[i].Short, File: file, Facts: facts})
	}
	if c, ok := plot.Overview("overview-throughput", "Throughput of each run", plot.Axis{Label: "samples/s"}, rates); ok {
		v.chart(c)
	}
	x := plot.Axis{Label: "latency", Of: plot.Latency, Scale: plot.Log, Min: max(1, least)}
	if c, ok := plot.Overview("overview-latency", "Latency of each run", x, ranges); ok {
		v.chart(c)
	}
	for k, g := range groups[:min(len(groups), mostGroups)] {
		for _, c := range plot.Overlays(g.runs) {
			c.ID, c.Title = fmt.Sprintf("overlay-%d-%s", k+1, c.ID), c.Title+" of "+g.title
			v.chart(c)
		}
	}
}

// mostGroups is how many models and scenarios have charts of several runs.
const mostGroups = 6

// chart adds a chart of several runs.
func (v *view) chart(c plot.Chart) {
	if svg, err := c.SVG(); err == nil {
		v.Charts = append(v.Charts, drawn{ID: c.ID, Title: c.Title, SVG: template.HTML(svg)}) // its texts are escaped
	}
}

// rateRow is the throughput of a run.
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

// rangeRow is the latency of a run.
func rangeRow(name string, file *series.File, facts plot.Facts) (plot.Row, bool) {
	h := file.Histogram(metric.QueryLatency)
	if h == nil {
		h = file.Histogram(metric.Latency)
	}
	if h == nil || h.Count < 2 || h.Quantile(.001) <= 0 {
		return plot.Row{}, false
	}
	limit := facts.Limit
	if file.Histogram(metric.TTFT) != nil { // the limit is that of tokens
		limit = 0
	}
	return plot.RangeRow(name, h, facts, limit), true
}
