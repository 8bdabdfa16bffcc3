// Package sidebyside shows a comparison of runs as a page.
package sidebyside

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/compare"
)

//go:embed page.html
var text string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"runs": func(n int) string { return figure.Plural(n, "run") }, "dots": dots, "class": class,
}).Parse(text))

// WriteHTML writes one page that needs no other file and runs no script. Names from results stand there as text.
func WriteHTML(w io.Writer, c compare.Comparison) error { return page.Execute(w, c) }

// class is the page's word for how a row looks.
func class(v compare.Verdict) string {
	switch v {
	case compare.Improved, compare.Worsened, compare.Changed:
		return string(v)
	}
	return "same"
}

// The room of a strip of dots, in its own units, and how many are drawn of each side.
const (
	stripWidth = 160
	margin     = 5
	mostDots   = 200
)

// dot is a run's value in a strip.
type dot struct{ X, Y string }

// strip is the values of both sides on one scale.
type strip struct{ Base, New []dot }

// dots places the values of a row; with one run a side there is nothing to see.
func dots(r compare.Row) *strip {
	if len(r.Base.Values)+len(r.New.Values) < 3 {
		return nil
	}
	least, most := math.Min(r.Base.Min, r.New.Min), math.Max(r.Base.Max, r.New.Max)
	place := func(values []float64, y string) []dot {
		var all []dot
		for _, v := range values[:min(len(values), mostDots)] {
			at := 0.5
			if most > least {
				at = (v - least) / (most - least)
			}
			all = append(all, dot{strconv.FormatFloat(margin+at*(stripWidth-2*margin), 'f', 1, 64), y})
		}
		return all
	}
	return &strip{place(r.Base.Values, "7"), place(r.New.Values, "17")}
}
