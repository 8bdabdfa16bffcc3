package results

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/figure"
)

// The templates of the pages. pagesText contains the parts that both share.
var (
	//go:embed pages.html
	pagesText string
	//go:embed compare.html
	comparisonText string
	//go:embed history.html
	historyText string
)

// pageRules contains the style rules of the pages of comparisons and histories, without those shared with reports.
const pageRules = `.side{font-size:1rem;overflow-wrap:anywhere}
svg.key{width:.7rem;height:.7rem}svg.dots{width:10rem;height:1.5rem;vertical-align:middle}
circle{fill-opacity:.7}circle.base{fill:var(--soft)}circle.new{fill:var(--link)}
.verdict{white-space:nowrap;color:var(--soft)}
.verdict.good,.verdict.bad,.verdict.warn{font-weight:650;padding:.1rem .5rem;border-radius:6px}
.verdict.good{color:var(--good)}.verdict.bad{color:var(--bad)}.verdict.warn{color:var(--warn)}`

var pageFunctions = template.FuncMap{
	"runs":    func(n int) string { return figure.Plural(n, "run") },
	"differs": differsTable,
	"main":    func(p compare.ScenarioPair) *cellTable { return figuresTable(p, true) },
	"others":  func(p compare.ScenarioPair) *cellTable { return figuresTable(p, false) },
}

var (
	comparisonPage = page.ParseTemplate(pagesText+comparisonText, pageFunctions)
	historyPage    = page.ParseTemplate(pagesText+historyText, pageFunctions)
)

// writeComparison writes a page that needs no other file and runs no script. Names from results are escaped.
func writeComparison(w io.Writer, c compare.Comparison) error {
	return comparisonPage.Execute(w, struct {
		compare.Comparison
		Head page.Head
	}{c, page.NewHead(c.Base.Name+" and "+c.New.Name, pageRules)})
}

// shownSeries is a series of a history on its page.
type shownSeries struct {
	compare.BenchmarkSeries
	Chart   *shownChart // nil: it has one entry
	Entries *cellTable
}

// shownChart is a drawn chart.
type shownChart struct {
	ID, Title, Alt string
	SVG            template.HTML
}

// writeHistory writes a page that needs no other file and runs no script.
func writeHistory(w io.Writer, t compare.Timeline) error {
	shown := make([]shownSeries, len(t.Series))
	for i, s := range t.Series {
		shown[i] = shownSeries{BenchmarkSeries: s, Entries: entriesTable(s)}
		c, ok := timelineChart(fmt.Sprintf("series-%d", i+1), s)
		if !ok {
			continue
		}
		svg, err := c.SVG()
		if err != nil {
			return err
		}
		shown[i].Chart = &shownChart{c.ID, c.Title, c.Alt, template.HTML(svg)} // its texts are escaped
	}
	return historyPage.Execute(w, struct {
		compare.Timeline
		Head  page.Head
		Shown []shownSeries
	}{t, page.NewHead("Results over time", pageRules), shown})
}

// timelineChart returns the chart of a series. ok is false if the series has one entry.
func timelineChart(id string, s compare.BenchmarkSeries) (plot.Chart, bool) {
	entries := make([]plot.TimelineEntry, len(s.Entries))
	for i, e := range s.Entries {
		words := []string{e.DateText(), e.CommitText(), e.Label, e.Text(e.New.Median) + " " + s.Unit, e.ComparisonText(),
			e.Verdicts}
		entries[i] = plot.TimelineEntry{Value: e.New.Median, Invalid: e.Verdicts != "",
			Words: strings.Join(slices.DeleteFunc(words, func(part string) bool { return part == "" }), ", ")}
		if verdictClass(e.Verdict) != "" {
			entries[i].Change = string(e.Verdict)
		}
	}
	return plot.Timeline(id, s.Title+" over time", cmp.Or(s.Unit, s.Title), entries)
}

// cellTable is a table of a page. The first cell of a row names it.
type cellTable struct {
	Label string
	Head  []tableCell
	Rows  [][]tableCell
}

// tableCell is a cell: a text, a verdict or a strip of dots.
type tableCell struct {
	Text, Class string
	Judged      bool   // the text is a verdict
	Look        string // of a verdict
	Dots        *valueStrip
}

func textCells(texts ...string) []tableCell {
	cells := make([]tableCell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

func verdictCell(text string, v compare.DifferenceVerdict) tableCell {
	return tableCell{Text: text, Judged: true, Look: verdictClass(v)}
}

// differsTable returns the table of the properties that differ between the runs of a pair.
func differsTable(p compare.ScenarioPair) *cellTable {
	t := &cellTable{Label: "What differs", Head: textCells("Differs", "Base", "New")}
	for _, d := range p.Differs {
		t.Rows = append(t.Rows, textCells(d.About, d.Base, d.New))
	}
	return t
}

// figuresTable returns the table of the main figures of a pair, or of the others; nil if there are no others.
func figuresTable(p compare.ScenarioPair, main bool) *cellTable {
	t := &cellTable{Label: "Figures", Head: []tableCell{{Text: "Figure"}, {Text: "Name"}, {Text: "Base", Class: "n"},
		{Text: "±", Class: "n"}, {Text: "New", Class: "n"}, {Text: "±", Class: "n"}, {Text: "Change", Class: "n"},
		{Text: "Verdict"}, {Text: "Runs"}}}
	for _, r := range p.Rows {
		if r.Main != main {
			continue
		}
		t.Rows = append(t.Rows, []tableCell{{Text: r.Heading()}, {Text: r.Name, Class: "mono"},
			{Text: r.Text(r.Base.Median), Class: "n"}, {Text: r.Base.SpreadText(), Class: "n soft"},
			{Text: r.Text(r.New.Median), Class: "n"}, {Text: r.New.SpreadText(), Class: "n soft"},
			{Text: r.ChangeText(), Class: "n"}, verdictCell(r.VerdictText(), r.Verdict), {Dots: placeDots(r)}})
	}
	if len(t.Rows) == 0 && !main {
		return nil
	}
	return t
}

// entriesTable returns the table of the entries of a series.
func entriesTable(s compare.BenchmarkSeries) *cellTable {
	t := &cellTable{Label: "Entries", Head: []tableCell{{Text: "Date"}, {Text: "Commit"}, {Text: "Label"},
		{Text: "Runs", Class: "n"}, {Text: s.Metric, Class: "n"}, {Text: "±", Class: "n"}, {Text: "Change", Class: "n"},
		{Text: "Verdict"}, {Text: "Note"}}}
	for _, e := range s.Entries {
		note := e.Verdicts
		if more := e.DiffersText(); note != "" && more != "" {
			note += "; " + more
		} else {
			note += more
		}
		t.Rows = append(t.Rows, []tableCell{{Text: e.DateText()}, {Text: e.CommitText(), Class: "mono"}, {Text: e.Label},
			{Text: strconv.Itoa(len(e.New.Values)), Class: "n"}, {Text: e.Text(e.New.Median), Class: "n"},
			{Text: e.New.SpreadText(), Class: "n soft"}, {Text: e.ChangeText(), Class: "n"},
			verdictCell(e.ComparisonText(), e.Verdict), {Text: note}})
	}
	return t
}

// verdictClass returns the style class of a verdict, or "" for an ordinary one.
func verdictClass(v compare.DifferenceVerdict) string {
	switch v {
	case compare.VerdictImproved:
		return "good"
	case compare.VerdictWorsened:
		return "bad"
	case compare.VerdictChanged:
		return "warn"
	}
	return ""
}

// The size of a strip of dots in its own units, and the maximum number of dots per side.
const (
	stripWidth  = 160
	stripMargin = 5
	maxDots     = 200
)

// stripDot is a run's value in a strip.
type stripDot struct{ X, Y string }

// valueStrip contains the values of both sides on one scale.
type valueStrip struct{ Base, New []stripDot }

// placeDots places the values of a row. It returns nil if each side has one run.
func placeDots(r compare.FigureRow) *valueStrip {
	if len(r.Base.Values)+len(r.New.Values) < 3 {
		return nil
	}
	low, high := math.Min(r.Base.Min, r.New.Min), math.Max(r.Base.Max, r.New.Max)
	place := func(values []float64, y string) []stripDot {
		var all []stripDot
		for _, v := range values[:min(len(values), maxDots)] {
			at := 0.5
			if high > low {
				at = (v - low) / (high - low)
			}
			all = append(all, stripDot{strconv.FormatFloat(stripMargin+at*(stripWidth-2*stripMargin), 'f', 1, 64), y})
		}
		return all
	}
	return &valueStrip{place(r.Base.Values, "7"), place(r.New.Values, "17")}
}
