package translation

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Numbers of words of each kind.
const (
	nouns        = 220
	verbs        = 90
	adjectives   = 80
	adverbs      = 30
	prepositions = 12
	names        = 60
)

// Percentages of words with two translations.
const (
	twoVerbsPercent      = 25 // by the object's number
	twoAdjectivesPercent = 25 // by the noun's gender
	twoAdverbsPercent    = 25 // by chance
	twoNounsPercent      = 10 // by chance
)

type noun struct {
	source string
	target []string // alternatives, chosen at random
	gender int
	plural string // ending
}

type verb struct {
	source string
	target [2]string // stems for one object and for several
	prefix string    // separable prefix
}

type adjective struct {
	source string
	target [3]string // by gender
}

type adverb struct {
	source string
	target []string
}

type preposition struct {
	source, target string
	grammar        grammarCase
}

// lexicon contains all words. The first words of each kind are the most frequent.
type lexicon struct {
	nouns        []noun
	verbs        []verb
	adjectives   []adjective
	adverbs      []adverb
	prepositions []preposition
	names        []string
}

func newLexicon(r *draw.Random) *lexicon {
	m := &wordMaker{r, map[string]bool{}}
	l := &lexicon{}
	for range nouns {
		l.nouns = append(l.nouns, m.noun())
	}
	for range verbs {
		l.verbs = append(l.verbs, m.verb())
	}
	for range adjectives {
		l.adjectives = append(l.adjectives, m.adjective())
	}
	for range adverbs {
		source := m.word(english, 2)
		target := m.oneOrTwo(twoAdverbsPercent, func() string { return m.word(german, 2) })
		l.adverbs = append(l.adverbs, adverb{source, target})
	}
	for i := range prepositions {
		l.prepositions = append(l.prepositions,
			preposition{m.word(english, 1), m.word(german, 1), grammarCase(1 + i%2)})
	}
	for range names {
		l.names = append(l.names, capital(m.word(english, 2)))
	}
	return l
}

// wordMaker makes new words.
type wordMaker struct {
	*draw.Random
	taken map[string]bool
}

func (m *wordMaker) noun() noun {
	return noun{
		source: m.word(english, m.IntBetween(1, 2)),
		target: m.oneOrTwo(twoNounsPercent, func() string { return capital(m.word(german, m.IntBetween(1, 2))) }),
		gender: m.IntBelow(3), plural: []string{"e", "en", "er", "s"}[m.IntBelow(4)],
	}
}

func (m *wordMaker) verb() verb {
	v := verb{source: m.word(english, m.IntBetween(1, 2))}
	v.target[0] = m.word(german, m.IntBetween(1, 2))
	v.target[1] = v.target[0]
	if m.Chance(twoVerbsPercent) {
		v.target[1] = m.word(german, 1)
	}
	if m.Chance(30) {
		v.prefix = []string{"an", "auf", "vor", "mit", "ein", "zu"}[m.IntBelow(6)]
	}
	return v
}

func (m *wordMaker) adjective() adjective {
	a := adjective{source: m.word(english, m.IntBetween(1, 2))}
	word := m.word(german, m.IntBetween(1, 2))
	a.target = [3]string{word, word, word}
	if m.Chance(twoAdjectivesPercent) {
		a.target[m.IntBelow(3)] = m.word(german, 1)
	}
	return a
}

// oneOrTwo makes one word, or in percent of the cases two.
func (m *wordMaker) oneOrTwo(percent int, make func() string) []string {
	all := []string{make()}
	if m.Chance(percent) {
		all = append(all, make())
	}
	return all
}

// word makes a word with a number of syllables.
func (m *wordMaker) word(s sounds, syllables int) string {
	for {
		word := s.word(m.Random, syllables)
		if !m.taken[word] && !isReserved(word) {
			m.taken[word] = true
			return word
		}
	}
}

// sounds are the parts of syllables.
type sounds struct{ onsets, vowels, codas []string }

var (
	english = sounds{
		strings.Fields("b d f g h k l m n p r s t v w bl br cl dr gr pl sh st tr"), strings.Fields("a e i o u ea oo"),
		strings.Fields("b ck d g l m n nd p r st t sh"),
	}
	german = sounds{
		strings.Fields("b d f g h k l m n p r s t w z bl fr gl kn pf sch schw st tr"),
		strings.Fields("a e i o u ä ö ü au ei ie"), strings.Fields("ch ck ft l lt m n nd r rk s st t tz"),
	}
)

func (s *sounds) word(r *draw.Random, syllables int) string {
	var b strings.Builder
	for range syllables {
		b.WriteString(drawOne(r, s.onsets) + drawOne(r, s.vowels))
	}
	return b.String() + drawOne(r, s.codas)
}

func drawOne(r *draw.Random, of []string) string { return of[r.IntBelow(len(of))] }

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// isReserved reports whether a word is used by the grammar.
func isReserved(word string) bool {
	switch word {
	case "the", "and", "not", "does", "did", "that", "this", "der", "die", "das", "den", "dem", "ein", "und", "nicht",
		"dass", "weil", "wenn", "ist", "an", "auf", "vor", "mit", "zu":
		return true
	}
	return false
}
