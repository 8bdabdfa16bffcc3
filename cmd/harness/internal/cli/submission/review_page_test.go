package submission

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/review"
)

// TestPage: names and values of a tree are text on the page, which loads nothing and runs nothing.
func TestReviewPage(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	report := &check.Report{Rules: "v6.1"}
	for i := range 30 {
		path := fmt.Sprintf("closed/%s/results/box/m%d/Offline", evil, i)
		report.Results = append(report.Results, check.Result{Path: path})
		report.Findings = append(report.Findings,
			check.Finding{Severity: check.Reject, Rule: "settings", Kind: check.AuditAsResult, Path: path + "/log",
				Result: path, What: "an audit's run", Found: evil, Expected: "a run", Other: path + "/other" + evil, Do: "file it"},
			check.Finding{Severity: check.Note, Rule: "files", Path: path + "/x", What: evil})
	}
	up := 12.0
	r := review.Make(report, review.Scope{})
	r.Against = &review.Against{Round: "v5.1", Pairs: []review.Pair{
		{Result: evil, Other: evil, SameBy: "spelling", Unit: "Tokens/s", Is: 112, Was: 100, ChangePercent: &up,
			Differs: []review.Difference{{About: "framework", Is: evil, Was: "y"}}}, {Result: "r", Note: "no result"}}}
	var b strings.Builder
	if err := writeReview(&b, r); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script") || strings.Contains(text, "http:") || strings.Contains(text, "https:") {
		t.Error("the page runs or loads something")
	}
	for _, want := range []string{"Review of round v6.1", "30 results, 30 to act on, of 1 kind.", "m29", "file it",
		"12.0 %, better", `class="good"`, "no result", "Against round v5.1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	b.Reset()
	if err := writeReview(&b, review.Make(&check.Report{Rules: "v6.1"}, review.Scope{Submitter: "Lab"})); err != nil ||
		!strings.Contains(b.String(), "Review of Lab, round v6.1") || !strings.Contains(b.String(), "nothing to act on.") {
		t.Errorf("%v: %s", err, b.String())
	}
}
