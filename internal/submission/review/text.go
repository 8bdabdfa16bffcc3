package review

import (
	"fmt"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

// Maximum number of lines per kind and submitter, and of kinds of folded findings per severity.
const (
	maxLines = 12
	maxFolds = 5
)

// Conclusion summarizes the review in one line.
func (r *Review) Conclusion() string {
	results := figure.Plural(r.Results, "result")
	if r.Clean() {
		return results + ", nothing to act on"
	}
	said := results
	if len(r.Kinds) > 0 {
		said += fmt.Sprintf(", %s to act on, of %s", figure.Count(uint64(r.ToActOn)), figure.Plural(len(r.Kinds), "kind"))
	}
	switch {
	case r.ForForms > 0:
		said += fmt.Sprintf(", %s rejected for files and forms alone", figure.Count(uint64(r.ForForms)))
	case len(r.Kinds) == 0:
		said += ", files and forms of the tree rejected"
	}
	return said
}

// WriteText prints a review: kinds by weight, submitters below them, and a line for each finding or for equal ones.
func (r *Review) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, k := range r.Kinds {
		fmt.Fprintf(&b, "\n%s: %s; %s of %s\n  %s\n", k.ID, k.Title, figure.Plural(k.Results, "result"),
			figure.Plural(len(k.Submitters), "submitter"), k.Ask)
		for _, s := range k.Submitters {
			s.writeLines(&b)
		}
	}
	r.writeFolded(&b)
	if r.Against != nil {
		r.Against.writeChanges(&b)
	}
	fmt.Fprintf(&b, "\nround %s: %s\n", r.Round, r.Conclusion())
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

func (s Submitter) writeLines(b *strings.Builder) {
	name := plainOrQuoted(s.Folder)
	if name == "" {
		name = "the tree"
	}
	if s.Results > 0 {
		name += ", " + figure.Plural(s.Results, "result")
	}
	fmt.Fprintf(b, "  %s\n", name)
	lines := s.Lines()
	for i, l := range lines {
		if i == maxLines {
			fmt.Fprintf(b, "    and %s more, which --json lists\n", figure.Plural(len(lines)-i, "line"))
			return
		}
		fmt.Fprintf(b, "    %s\n", l)
	}
}

// writeFolded summarizes the folded findings.
func (r *Review) writeFolded(b *strings.Builder) {
	if len(r.Folded) == 0 {
		return
	}
	b.WriteString("\nfolded, which harness submission check lists\n")
	for _, severity := range []check.Severity{check.Reject, check.Warn, check.Note} {
		told, kinds, rest := 0, 0, 0
		for _, f := range r.Folded {
			switch {
			case f.Severity != severity:
			case told < maxFolds:
				told++
				fmt.Fprintf(b, "  %-6s %s: %s x %d, the first: %s\n", f.Severity, f.Rule, plainOrQuoted(f.What), f.Count,
					plainOrQuoted(f.First))
			default:
				kinds, rest = kinds+1, rest+f.Count
			}
		}
		if rest > 0 {
			fmt.Fprintf(b, "  %-6s and %d more of %s\n", severity, rest, figure.Plural(kinds, "other kind"))
		}
	}
}
