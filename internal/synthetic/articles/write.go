package articles

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// story is a kind of event. Names in braces are blanks.
type story struct {
	things  []string   // values of {thing}
	facts   [][]string // facts that the article must state, each in several wordings that differ from the summary's
	summary string
}

// writeArticle draws a story, its values, wordings and order.
func writeArticle(r *draw.Random) SummarisedArticle {
	all := stories()
	s := all[r.IntBelow(len(all))]
	b := drawBlanks(s.things, r)
	sentences := body(s, r)
	text := append([]string{drawOne(leads(), r)}, sentences...)
	filled := make([]string, len(text))
	for i, template := range text {
		filled[i] = b.fill(template)
	}
	return SummarisedArticle{Text: strings.Join(filled, " "), Summary: b.fill(s.summary)}
}

// body returns the sentences after the first, in random order: one wording of each fact, and one to three sentences
// about other subjects.
func body(s story, r *draw.Random) []string {
	all := make([]string, len(s.facts))
	for i, wordings := range s.facts {
		all[i] = drawOne(wordings, r)
	}
	others := draw.Shuffle(r, asides())
	return draw.Shuffle(r, append(all, others[:r.IntBetween(1, 3)]...))
}

func drawOne(wordings []string, r *draw.Random) string { return wordings[r.IntBelow(len(wordings))] }
