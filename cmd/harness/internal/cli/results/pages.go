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
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// The templates of the pages; pagesText has what both share.
var (
	//go:embed pages.html
	pagesText string
	//go:embed compare.html
	comparisonText string
	//go:embed history.html
	historyText string
)

// pageRules are the rules of the pages of comparisons and histories, without those that they share with reports.
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

// writeComparison writes one page that needs no other file and runs no script. Names from results stand there as text.
func writeComparison(w io.Writer, c compare.Comparison) error {
	return comparisonPage.Execute(w, struct {
		compare.Comparison
		Head page.Head
	}{c, page.NewHead(c.Base.Name+" and "+c.New.Name, pageRules)})
}

// shownSeries is a series of a history on its page.
type shownSeries struct {
	compare.Series
	Chart   *shownChart // nil: it has one entry
	Entries *cellTable
}

// shownChart is a drawn chart.
type shownChart struct {
	ID, Title, Alt string
	SVG            template.HTML
}

// writeHistory writes one page that needs no other file and runs no script.
func writeHistory(w io.Writer, t compare.Timeline) error {
	shown := make([]shownSeries, len(t.Series))
	for i, s := range t.Series {
		shown[i] = shownSeries{Series: s, Entries: entriesTable(s)}
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

// timelineChart is the chart of a series; ok is false where it has one entry.
func timelineChart(id string, s compare.Series) (plot.Chart, bool) {
	entries := lists.Map(s.Entries, func(e compare.Entry) plot.TimelineEntry {
		words := []string{e.DateText(), e.CommitText(), e.Label, e.Text(e.New.Median) + " " + s.Unit, e.Standing(),
			e.Verdicts}
		shown := plot.TimelineEntry{Value: e.New.Median, Invalid: e.Verdicts != "",
			Words: strings.Join(slices.DeleteFunc(words, func(part string) bool { return part == "" }), ", ")}
		if verdictClass(e.Verdict) != "" {
			shown.Change = string(e.Verdict)
		}
		return shown
	})
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
	return lists.Map(texts, func(text string) tableCell { return tableCell{Text: text} })
}

func verdictCell(text string, v compare.DifferenceVerdict) tableCell {
	return tableCell{Text: text, Judged: true, Look: verdictClass(v)}
}

// differsTable is what differs between the runs of a pair.
func differsTable(p compare.ScenarioPair) *cellTable {
	return &cellTable{Label: "What differs", Head: textCells("Differs", "Base", "New"),
		Rows: lists.Map(p.Differs, func(d compare.PropertyDifference) []tableCell { return textCells(d.About, d.Base, d.New) })}
}

// figuresTable is the main figures of a pair, or the others; nil where there are none of those.
func figuresTable(p compare.Pair, main bool) *cellTable {
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

// entriesTable is the entries of a series.
func entriesTable(s compare.Series) *cellTable {
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
			verdictCell(e.Standing(), e.Verdict), {Text: note}})
	}
	return t
}

// verdictClass is the page's word for how a verdict looks.
func verdictClass(v compare.DifferenceVerdict) string {
	switch v {
	case compare.Improved:
		return "good"
	case compare.Worsened:
		return "bad"
	case compare.VerdictChanged:
		return "warn"
	}
	return ""
}

// The room of a strip of dots, in its own units, and how many are drawn of each side.
const (
	stripWidth  = 160
	stripMargin = 5
	maxDots     = 200
)

// stripDot is a run's value in a strip.
type stripDot struct{ X, Y string }

// valueStrip is the values of both sides on one scale.
type valueStrip struct{ Base, New []stripDot }

// placeDots places the values of a row; with one run a side there is nothing to see.
func placeDots(r compare.FigureRow) *valueStrip {
	if len(r.Base.Values)+len(r.New.Values) < 3 {
		return nil
	}
	least, most := math.Min(r.Base.Min, r.New.Min), math.Max(r.Base.Max, r.New.Max)
	place := func(values []float64, y string) []stripDot {
		var all []stripDot
		for _, v := range values[:min(len(values), maxDots)] {
			at := 0.5
			if most > least {
				at = (v - least) / (most - least)
			}
			all = append(all, stripDot{strconv.FormatFloat(stripMargin+at*(stripWidth-2*stripMargin), 'f', 1, 64), y})
		}
		return all
	}
	return &valueStrip{place(r.Base.Values, "7"), place(r.New.Values, "17")}
}
