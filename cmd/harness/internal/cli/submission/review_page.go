package submission

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/review"
)

//go:embed review.html
var reviewText string

// reviewCSS contains the CSS rules of this page in addition to those of reports.
const reviewCSS = `h2 .badge{margin-left:.4rem}h2::first-letter,header tbody th::first-letter{text-transform:uppercase}
td details{border:0;margin:0;padding:.2rem 0}details ul{margin:.3rem 0;padding-left:1.2rem}
table.findings{table-layout:fixed}.findings th:first-child{width:40%}
@media(max-width:36rem){.findings td{flex:1 0 100%}}`

var reviewPage = page.ParseTemplate(reviewText, template.FuncMap{
	"results": func(n int) string { return figure.Plural(n, "result") }, "figure": figure.Round, "class": changeClass,
	"quote": review.Quote,
})

// maxPageLines limits the lines per submitter and kind on the page. --json contains all lines.
const maxPageLines = 500

// reviewView contains the data of review.html.
type reviewView struct {
	*review.Review
	Head page.Head
}

// Title returns the title of the page.
func (v reviewView) Title() string {
	if v.Submitter == "" {
		return "Review of round " + v.Round
	}
	return "Review of " + v.Submitter + ", round " + v.Round
}

// Most returns maxPageLines for the template.
func (v reviewView) Most() int { return maxPageLines }

// writeReview writes a self-contained page without scripts, which can be sent to a submitter. It escapes names from the
// tree.
func writeReview(w io.Writer, r *review.Review) error {
	v := reviewView{Review: r}
	v.Head = page.NewHead(v.Title(), reviewCSS)
	return reviewPage.Execute(w, v)
}

// changeClass returns the CSS class of a change.
func changeClass(p review.Pair) string {
	switch {
	case p.ChangePercent == nil || *p.ChangePercent == 0:
		return ""
	case p.Better():
		return "good"
	}
	return "bad"
}
