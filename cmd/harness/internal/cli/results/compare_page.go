package results

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/compare"
)

//go:embed compare.html
var comparisonText string

// comparisonRules contains the CSS rules of this page in addition to those of reports.
const comparisonRules = `.side{font-size:1rem;overflow-wrap:anywhere}
svg.key{width:.7rem;height:.7rem}svg.dots{width:10rem;height:1.5rem;vertical-align:middle}
circle{fill-opacity:.7}circle.base{fill:var(--soft)}circle.new{fill:var(--link)}
.verdict{white-space:nowrap;color:var(--soft)}
.verdict.good,.verdict.bad,.verdict.warn{font-weight:650;padding:.1rem .5rem;border-radius:6px}
.verdict.good{color:var(--good)}.verdict.bad{color:var(--bad)}.verdict.warn{color:var(--warn)}`

var comparison = page.ParseTemplate(comparisonText, template.FuncMap{
	"runs": func(n int) string { return figure.Plural(n, "run") }, "dots": placeDots, "class": verdictClass,
	"main": mainRows, "others": otherRows,
})

// comparisonView contains the data of compare.html.
type comparisonView struct {
	compare.Comparison
	Head page.Head
}

// writeComparison writes a self-contained page without scripts. It escapes names from results.
func writeComparison(w io.Writer, c compare.Comparison) error {
	head := page.NewHead(c.Base.Name+" and "+c.New.Name, comparisonRules)
	return comparison.Execute(w, comparisonView{c, head})
}

func mainRows(rows []compare.FigureRow) []compare.FigureRow { return chooseRows(rows, true) }

func otherRows(rows []compare.FigureRow) []compare.FigureRow { return chooseRows(rows, false) }

func chooseRows(rows []compare.FigureRow, main bool) []compare.FigureRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r compare.FigureRow) bool { return r.Main != main })
}

// verdictClass returns the CSS class of a verdict.
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

// The sizes of a strip of dots in SVG units, and the maximum number of dots per side.
const (
	stripWidth  = 160
	stripMargin = 5
	maxDots     = 200
)

// stripDot is the position of a run's value in a strip.
type stripDot struct{ X, Y string }

// valueStrip contains the values of both sides on a common scale.
type valueStrip struct{ Base, New []stripDot }

// placeDots places the values of a row. It returns nil for one run per side.
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
