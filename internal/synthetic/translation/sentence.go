package translation

import (
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// writer writes one pair of sentences.
type writer struct {
	*lexicon
	random         *draw.Random
	source, target []string
}

// Words of the grammar, in both languages.
var (
	conjunctions = [...][2]string{{"that", "dass"}, {"because", "weil"}, {"if", "wenn"}}
	ends         = [...]string{".", ".", ".", "!", "?"}
)

// sentence writes a main clause, and sometimes a second clause: another main clause, or one whose verb comes last.
func (w *writer) sentence() {
	w.writeMainClause(w.drawClause())
	switch k := w.random.IntBelow(100); {
	case k < 8:
		c := conjunctions[w.random.IntBelow(len(conjunctions))]
		w.writeBoth(",", ",")
		w.writeBoth(c[0], c[1])
		w.writeSubordinate(w.drawClause())
	case k < 12:
		w.writeBoth("and", "und")
		w.writeMainClause(w.drawClause())
	}
	end := ends[w.random.IntBelow(len(ends))]
	w.writeBoth(end, end)
}

func (w *writer) writeBoth(source, target string) {
	w.source = append(w.source, source)
	w.target = append(w.target, target)
}

func (w *writer) putSource(words ...string) { w.source = append(w.source, words...) }
func (w *writer) putTarget(words ...string) { w.target = append(w.target, words...) }

// clause is the content of a clause.
type clause struct {
	subject, object phrase
	verb            *verb
	past, negated   bool
	adverb          adverb // with its translation chosen
	preposition     *preposition
	place           phrase
	adverbFirst     bool // the adverb comes first
}

func (w *writer) drawClause() *clause {
	r := w.random
	c := &clause{
		subject: w.drawPhrase(), object: w.drawPhrase(), verb: drawFrequent(r, w.verbs), past: r.Chance(40),
		negated: r.Chance(15),
	}
	if r.Chance(30) {
		c.adverb = *drawFrequent(r, w.adverbs)
		c.adverb.target = []string{drawOne(r, c.adverb.target)}
		c.adverbFirst = r.Chance(50)
	}
	if r.Chance(15) {
		c.preposition, c.place = drawFrequent(r, w.prepositions), w.drawPhrase()
	}
	return c
}

// phrase is a name or a noun with its attributes.
type phrase struct {
	name      string
	noun      *noun
	word      string // translation of the noun
	plural    bool
	number    int // 0: none
	article   article
	adjective *adjective
}

func (w *writer) drawPhrase() phrase {
	r := w.random
	if r.Chance(15) {
		return phrase{name: w.drawName()}
	}
	p := phrase{noun: drawFrequent(r, w.nouns), plural: r.Chance(30), article: article(r.IntBelow(3))}
	p.word = drawOne(r, p.noun.target)
	if r.Chance(22) {
		p.adjective = drawFrequent(r, w.adjectives)
	}
	if p.plural && (p.article == indefinite || r.Chance(20)) {
		p.article, p.number = none, r.IntBetween(2, 99)
	}
	return p
}

// drawName draws a known name, or makes up a new one.
func (w *writer) drawName() string {
	if w.random.Chance(50) {
		return w.names[w.random.IntBelow(len(w.names))]
	}
	return capital(english.word(w.random, 2))
}

// drawFrequent draws the first words more often than the last: word i with a frequency proportional to 1/(i+8) (Zipf's
// law).
func drawFrequent[W any](r *draw.Random, words []W) *W {
	const scale = 1 << 20
	total := 0
	for i := range words {
		total += scale / (i + 8)
	}
	at := r.IntBelow(total)
	for i := range words {
		if at -= scale / (i + 8); at < 0 {
			return &words[i]
		}
	}
	return &words[len(words)-1]
}

// numeral returns a number in the target language, with the ones first.
func numeral(n int) string {
	if n <= 12 || n%10 == 0 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n%10) + "und" + strconv.Itoa(n/10*10)
}
