package page

import (
	"cmp"
	"errors"
	"html/template"
	"io/fs"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// runSection is the section of a run on the page.
type runSection struct {
	ID, Name, When string
	runVerdict
	Failure       *record.Failure
	Cards         []figureCard
	Reasons       []record.Reason
	Remarks       []record.Finding
	AccuracyNotes []string // includes notes on the figures of a server
	Exhibits      []shownExhibit
	ExhibitsTitle string
	Charts        []drawnChart
	Missing       string
	Latencies     textTable
	Shares        []nodeShare
	Details       []textTable
}

// ExhibitAlt returns the alternative text of a picture, whose caption is next to it.
func (s runSection) ExhibitAlt() string { return "a sample of " + s.Name + ", described below" }

// drawnChart is a chart on the page.
type drawnChart struct {
	ID, Title, Alt string
	SVG            template.HTML
}

// textTable is a table of texts. The first cell of a row is its name.
type textTable struct {
	Title         string
	Head          []string
	Rows          [][]string
	Numbers, Mono bool
	Words         int // the column with words in a table of numbers; 0: none
}

// Class returns the CSS class for the cells of a column.
func (t textTable) Class(i int) string {
	switch {
	case t.Numbers && (t.Words == 0 || i != t.Words):
		return "n"
	case t.Mono:
		return "mono"
	}
	return ""
}

// Heading is the header of a column. It is never empty, so that programs that read pages aloud can name the column.
func (t textTable) Heading(i int) string {
	switch {
	case t.Head[i] != "":
		return t.Head[i]
	case i == 0:
		return "measure"
	}
	return "remarks"
}

// Label returns the heading of a column, for narrow screens without columns.
func (t textTable) Label(i int) string {
	if i < len(t.Head) {
		return t.Head[i]
	}
	return ""
}

// newSection creates the section of a run with up to room bytes of exhibits. It also returns the size of the exhibits.
func newSection(f results.FoundRun, name, id string, room int) (s runSection, exhibits int) {
	r := f.Run
	s = runSection{
		ID: id, Name: name, When: timeText(r), runVerdict: verdictOf(r), Failure: r.Error, Reasons: r.Reasons,
		Remarks: runRemarks(r), Cards: figureCards(r), Shares: nodeShares(r), Latencies: latencyTable(r),
		Details: detailTables(f),
	}
	if r.Serving != nil {
		s.AccuracyNotes = []string{r.Serving.About()}
		if p := r.Serving.Replay; p != nil {
			s.AccuracyNotes = p.Lines()
			exhibits = s.readExhibits(f.LogFolder(), p.AnswersSHA256, room)
		}
	}
	if r.Accuracy != nil {
		s.AccuracyNotes = append([]string{r.Accuracy.Basis}, r.Accuracy.Notes...)
		exhibits = s.readExhibits(f.LogFolder(), r.Accuracy.LogSHA256, room)
	}
	if p := r.Power; p != nil && p.Fault == "" {
		s.AccuracyNotes = append(s.AccuracyNotes, "Power by "+p.Source+". "+p.Note)
	}
	if r.Performance != nil || r.Serving != nil && r.Serving.Figures != nil {
		s.addCharts(f)
	}
	return s, exhibits
}

// timeText returns the date and the duration of the run.
func timeText(r record.Run) string {
	text := string(cmp.Or(r.Status, "of unknown state"))
	if !r.Started.IsZero() {
		text = r.Started.UTC().Format("2 January 2006, 15:04:05 UTC")
		if r.Took != "" && r.Duration > 0 { // accuracy runs have no duration
			text += ", " + r.Took
		}
	}
	if r.Status != record.Complete && r.Status != "" {
		text += "; " + string(r.Status)
	}
	if r.Status == record.Unfinished {
		text += ": the run is under way, or its harness was killed"
	}
	return text
}

// runRemarks returns the notes, warnings and errors in the logs, and deviations from the rules.
func runRemarks(r record.Run) []record.Finding {
	var all []record.Finding
	if s := r.Serving; s != nil {
		for _, text := range s.Flags {
			all = append(all, record.Finding{Text: text})
		}
	}
	for _, n := range r.Notes {
		all = append(all, record.Finding{About: "Note: " + n.About, Text: n.Text})
	}
	for _, m := range r.Messages {
		switch {
		case m.Warning:
			all = append(all, record.Finding{About: "Warning of LoadGen", Text: m.Text})
		case len(r.Reasons) == 0: // reasons contain the same with numbers
			all = append(all, record.Finding{About: "Error of LoadGen", Text: m.Text})
		}
	}
	for _, text := range r.Estimates {
		all = append(all, record.Finding{About: "An estimate, so the run is a rehearsal", Text: text})
	}
	for _, text := range r.DivisionReasons {
		all = append(all, record.Finding{About: "Of the " + r.Division + " division", Text: text})
	}
	return all
}

// addCharts draws the charts of the files in the run's folder.
func (s *runSection) addCharts(f results.FoundRun) {
	s.drawCharts(Charts(f))
}

// drawCharts draws the charts. missing states why others are missing.
func (s *runSection) drawCharts(charts []plot.Chart, missing string) {
	s.Missing = missing
	said := map[string]bool{}
	for _, c := range charts {
		svg, err := c.SVG()
		if err != nil {
			s.Missing = err.Error()
			continue
		}
		d := drawnChart{s.ID + "-" + c.ID, c.Title, c.Alt, template.HTML(svg)} // SVG with escaped texts
		if said[c.Alt] {
			d.Alt = ""
		}
		said[c.Alt] = true
		s.Charts = append(s.Charts, d)
	}
}

// Charts returns the charts of a run. missing states why others are missing.
func Charts(f results.FoundRun) (charts []plot.Chart, missing string) {
	if f.Serving != nil {
		return servedCharts(f)
	}
	if isInvalid(f.Run) {
		defer func() {
			for i := range charts {
				charts[i].Notes = append(charts[i].Notes, "The run is INVALID.")
			}
		}()
	}
	charts, missing = overTime(f)
	if c, ok := searchChart(f.Run); ok {
		charts = append([]plot.Chart{c}, charts...)
	}
	if w := f.Workload; w != nil && w.Batching != nil && f.Performance != nil {
		charts = append(charts, batchingCharts(w.Batching)...)
	}
	return charts, missing
}

// searchChart returns the curve of a search for the highest load.
func searchChart(r record.Run) (plot.Chart, bool) {
	var trials []plot.Trial
	switch p := r.Performance; {
	case p == nil:
	case p.Peak != nil:
		judged := 0.0
		for _, t := range p.Peak.Trials {
			judged = t.Latency.P
			trials = append(trials, plot.Trial{Load: t.TargetQPS, NS: t.Latency.NS, Met: t.Met})
		}
		return plot.Search("queries/s that are due", judged, trials, plotFacts(r).Limit)
	case p.Streams != nil:
		judged, interval := 0.0, int64(0)
		for _, t := range p.Streams.Trials {
			judged, interval = t.Latency.P, t.Intervals.IntervalNS
			trials = append(trials, plot.Trial{Load: float64(t.SamplesPerQuery), NS: t.Latency.NS, Met: t.Met})
		}
		return plot.Search("samples per query", judged, trials, interval)
	}
	return plot.Chart{}, false
}

// servedCharts returns the charts of a server at one load. Points of older harness versions have none.
func servedCharts(f results.FoundRun) (charts []plot.Chart, missing string) {
	file, err := series.Read(f.LogFolder())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, "No charts over time: " + err.Error()
	}
	var facts plot.Facts
	facts.TTFTLimit, facts.TPOTLimit = latencyLimits(f.Serving)
	return plot.Served(file, facts), ""
}

// latencyLimits returns the limits of TTFT and TPOT in nanoseconds; 0: no limit.
func latencyLimits(s *record.Serving) (ttft, tpot int64) {
	for _, v := range s.Objectives {
		switch v.Term.Metric {
		case metrics.TTFT:
			ttft = int64(v.Term.Value)
		case metrics.TPOT:
			tpot = int64(v.Term.Value)
		}
	}
	return ttft, tpot
}

// batchingCharts returns the charts of the plugin's batching statistics.
func batchingCharts(b *record.Batching) (charts []plot.Chart) {
	sizes := make([]plot.BatchSizeCount, len(b.Sizes))
	for i, s := range b.Sizes {
		sizes[i] = plot.BatchSizeCount(s)
	}
	if c, ok := plot.BatchSizes(sizes); ok {
		charts = append(charts, c)
	}
	if b.Waiting != nil && b.Model != nil && b.Waiting.Count > 1 && b.Model.Count > 1 {
		charts = append(charts, plot.Waiting(latencyQuantiles(*b.Waiting), latencyQuantiles(*b.Model)))
	}
	return charts
}

// overTime returns the charts of the harness's measurements over time.
func overTime(f results.FoundRun) (charts []plot.Chart, missing string) {
	facts := plotFacts(f.Run)
	file, origin, err := series.Find(f.SeriesFolder())
	if err == nil {
		if origin == series.FromTrace {
			missing = "The charts were made of the trace log; it has no tokens."
		}
		return plot.Charts(file, facts), missing
	}
	if p := f.Performance; p != nil && p.Latency.Measured() {
		charts = append(charts, plot.Percentiles(latencyQuantiles(p.Latency), facts))
	}
	if errors.Is(err, series.ErrNone) {
		return charts, "No charts over time: " + err.Error() + " in " + f.SeriesFolder() + "."
	}
	return charts, "No charts over time: " + err.Error()
}

// latencyQuantiles returns the known quantiles of a latency.
func latencyQuantiles(l record.Latency) plot.Quantiles {
	known := make([]plot.Point, len(l.Percentiles))
	for i, p := range l.Percentiles {
		known[i] = plot.Point(p)
	}
	return plot.Quantiles{Count: uint64(max(0, l.Count)), Min: l.Min, Max: l.Max, Known: known}
}

// plotFacts returns the limits and targets to mark in charts.
func plotFacts(r record.Run) plot.Facts {
	var out plot.Facts
	e := r.Effective
	if e == nil || r.Performance == nil {
		return out
	}
	if r.Scenario != "Offline" {
		out.Percentile = e.TargetLatencyPercentile
	}
	if r.Scenario == "Server" {
		out.Limit, out.TargetSamplesPer = e.TargetLatencyNS, float64(e.TargetQPS)*float64(e.SamplesPerQuery)
	}
	if t := r.Performance.Tokens; t != nil {
		if t.TTFT != nil {
			out.TTFTLimit = t.TTFT.LimitNS
		}
		if t.TPOT != nil {
			out.TPOTLimit = t.TPOT.LimitNS
		}
	}
	return out
}
