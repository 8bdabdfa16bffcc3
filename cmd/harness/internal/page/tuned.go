package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	columns "github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/tune"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
)

// Tuned is a profile of harness tune with its file.
type Tuned struct {
	Path string
	tune.Profile
}

// searchName returns the subject of the search.
func (t Tuned) searchName() string {
	return strings.Join(slices.DeleteFunc([]string{"tuning of", t.For.Model, t.For.Precision, t.For.Backend},
		func(part string) bool { return part == "" }), " ")
}

// tunedSections adds the sections of the profiles.
func (v *pageView) tunedSections(all []Tuned) error {
	for i, t := range all {
		s := runSection{
			ID: fmt.Sprintf("profile-%d", i+1), Name: t.searchName(), runVerdict: runVerdict{"measured", "plain", "•"},
			Cards: t.foundCards(),
			When:  t.Measured.UTC().Format("2 January 2006, 15:04:05 UTC") + ", " + t.Machine.String() + ", " + t.Path,
		}
		if t.Offline != nil && !t.Offline.Decided {
			s.runVerdict = runVerdict{"not certain", "warn", "!"}
		}
		s.drawCharts(t.searchCharts(), "")
		for _, of := range []textTable{t.settingsTable(), t.trialsTable()} {
			if len(of.Rows) > 0 {
				s.Details = append(s.Details, of)
			}
		}
		var text bytes.Buffer
		if err := page.ExecuteTemplate(&text, "run", s); err != nil {
			return err
		}
		v.Runs = append(v.Runs, template.HTML(text.String())) // the template has escaped it
	}
	return nil
}

// foundCards returns the results of the search.
func (t Tuned) foundCards() (all []figureCard) {
	if o := t.Offline; o != nil {
		all = append(all, figureCard{Name: "Offline", Value: figure.Round(o.SamplesPerSecond) + " samples/s",
			About: o.Setting.String()})
	}
	if s := t.Server; s != nil {
		all = append(all, figureCard{Name: "Server, target_qps", Value: figure.Round(s.TargetQPS),
			About: fmt.Sprintf("%v; %v", s.Setting, s.Limits)})
	}
	return all
}

// searchCharts returns the curves of both searches.
func (t Tuned) searchCharts() (all []plot.Chart) {
	if c, ok := t.settingsChart(); ok {
		all = append(all, c)
	}
	if s := t.Server; s != nil {
		var trials []plot.Trial
		for _, r := range s.Trials {
			if r.Setting == s.Setting && r.LatencyMS > 0 {
				trials = append(trials, plot.Trial{Load: r.TargetQPS, NS: int64(r.LatencyMS * 1e6), Met: r.Valid})
			}
		}
		if c, ok := plot.Search("queries/s that are due", s.Limits.Percentile, trials, s.Limits.LatencyNS); ok {
			all = append(all, c)
		}
	}
	return all
}

// settingsChart returns the curve of the search for a setting, by batch size or, for a server, by requests in flight.
func (t Tuned) settingsChart() (plot.Chart, bool) {
	if t.Offline == nil {
		return plot.Chart{}, false
	}
	var tried []plot.Tried
	own, by := 0.0, "samples in a batch"
	for _, p := range t.Offline.Points {
		switch {
		case !(p.SamplesPerSecond > 0):
			continue
		case p.Setting == tune.Setting{}:
			own = p.SamplesPerSecond
			continue
		}
		rest := p.Setting
		x := rest.Batch
		if rest.Batch = 0; p.Requests > 0 {
			by, x, rest = "requests in flight", p.Requests, tune.Setting{Batch: p.Batch}
		}
		if x == 0 {
			continue
		}
		tried = append(tried, plot.Tried{
			Line: rest.String(), X: float64(x), PerSec: p.SamplesPerSecond, Short: !p.Final,
			Words: fmt.Sprintf("%v: %s samples/s", p.Setting, figure.Round(p.SamplesPerSecond)),
		})
	}
	return plot.Settings(by, tried, own)
}

// settingsTable returns the measurements of each setting.
func (t Tuned) settingsTable() textTable {
	of := textTable{Title: "Settings that were tried", Numbers: true}
	of.Head = []string{"setting", "samples/s", "spread", "tests"}
	if t.Offline == nil {
		return of
	}
	for _, p := range t.Offline.Points {
		row := []string{p.String(), figure.Round(p.SamplesPerSecond), fmt.Sprintf("%.1f %%", 100*p.Spread),
			strconv.Itoa(p.Tests)}
		if p.Tests == 0 {
			row = []string{p.String(), "-", "-", cmp.Or(p.Fault, "0")}
		}
		of.Rows = append(of.Rows, row)
	}
	return of
}

// trialsTable returns the Server runs of the search.
func (t Tuned) trialsTable() textTable {
	of := textTable{Title: "Runs of Server", Head: []string{"target_qps", "verdict", "latency, ms", "setting"}}
	if t.Server == nil {
		return of
	}
	for _, r := range t.Server.Trials {
		said, ms := "VALID", "-"
		if !r.Valid {
			said = "INVALID: " + r.Reason
		}
		if r.LatencyMS > 0 {
			ms = figure.Short(r.LatencyMS)
		}
		of.Rows = append(of.Rows, []string{figure.Round(r.TargetQPS), said, ms, r.String()})
	}
	return of
}

// writeTuned writes the results, the curves and the tables of profiles.
func writeTuned(w io.Writer, all []Tuned) error {
	b := terminal.WriterTo(w)
	for _, t := range all {
		b.Print("\n", terminal.Span{Style: terminal.Heading, Text: plainText(t.searchName())}, "  ", plainText(t.Path), "\n")
		for _, c := range t.foundCards() {
			b.Print(indent, c.Name, ": ", c.Value, "  ", plainText(c.About), "\n")
		}
		for _, c := range t.searchCharts() {
			b.Print(indent, plainText(c.Alt), "\n")
		}
		for _, of := range []textTable{t.settingsTable(), t.trialsTable()} {
			if len(of.Rows) == 0 {
				continue
			}
			rows := columns.Table{Indent: indent}
			for _, row := range append([][]string{of.Head}, of.Rows...) {
				cells := make([]any, len(row))
				for i, c := range row {
					cells[i] = plainText(c)
				}
				rows.Row(cells...)
			}
			b.Print("\n")
			if _, err := rows.WriteTo(b); err != nil {
				return err
			}
		}
	}
	return b.Err()
}
