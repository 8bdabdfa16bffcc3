package articles

import (
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// story is a kind of event. Names in braces are blanks.
type story struct {
	things  []string   // values of {thing}
	facts   [][]string // what must be told, each in several wordings; all but the summary's
	summary string
}

// write draws a story, its values, wordings and order.
func write(r *draw.Random) Article {
	all := stories()
	s := all[r.Below(len(all))]
	b := draws(s.things, r)
	sentences := body(s, r)
	text := make([]string, 0, len(sentences)+1)
	text = append(text, b.fill(one(leads(), r)))
	for _, sentence := range sentences {
		text = append(text, b.fill(sentence))
	}
	return Article{Text: strings.Join(text, " "), Summary: b.fill(s.summary)}
}

// body is the sentences behind the first, in random order: one wording of each fact, and one to
// three about other things.
func body(s story, r *draw.Random) []string {
	all := lists.Map(s.facts, func(wordings []string) string { return one(wordings, r) })
	others := asides()
	order := r.Shuffled(len(others))
	for _, i := range order[:r.Between(1, 3)] {
		all = append(all, others[i])
	}
	shuffled := make([]string, len(all))
	for to, from := range r.Shuffled(len(all)) {
		shuffled[to] = all[from]
	}
	return shuffled
}

func one(wordings []string, r *draw.Random) string { return wordings[r.Below(len(wordings))] }
