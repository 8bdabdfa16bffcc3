// Package reviewpage shows a review of submissions as a page that can be sent to a submitter.
package reviewpage

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/submission/review"
)

//go:embed page.html
var text string

// own are the rules of this page beside those that it shares with reports.
const own = `h2 .badge{margin-left:.4rem}h2::first-letter,header tbody th::first-letter{text-transform:uppercase}
td details{border:0;margin:0;padding:.2rem 0}details ul{margin:.3rem 0;padding-left:1.2rem}
table.findings{table-layout:fixed}.findings th:first-child{width:40%}
@media(max-width:36rem){.findings td{flex:1 0 100%}}`

var reviewed = template.Must(template.New("page").Funcs(template.FuncMap{
	"results": func(n int) string { return figure.Plural(n, "result") }, "figure": figure.Round, "class": class,
	"quote": review.Quote,
}).Parse(text))

// maxLines is how many lines of a submitter and kind the page has; --json has all.
const maxLines = 500

// view is what page.html shows.
type view struct {
	*review.Review
	Policy string
	CSS    template.CSS
}

// Title names what the page is about.
func (v view) Title() string {
	if v.Submitter == "" {
		return "Review of round " + v.Round
	}
	return "Review of " + v.Submitter + ", round " + v.Round
}

// Most is maxLines, for the template.
func (v view) Most() int { return maxLines }

// WriteHTML writes one page that needs no other file and runs no script. Names from the tree stand there as text.
func WriteHTML(w io.Writer, r *review.Review) error {
	css := page.CSS + own
	return reviewed.Execute(w, view{r, page.Policy(css), template.CSS(css)})
}

// class is the page's word for how a change looks.
func class(p review.Pair) string {
	switch {
	case p.ChangePercent == nil || *p.ChangePercent == 0:
		return ""
	case p.Better():
		return "good"
	}
	return "bad"
}
