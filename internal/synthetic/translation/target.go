package translation

import "strings"

// grammarCase is a case of the target language.
type grammarCase int

const (
	nominative grammarCase = iota
	accusative
	dative
)

// article is the kind of a noun's article.
type article int

const (
	definite article = iota
	indefinite
	demonstrative
	none
)

// articles are the target language's articles, by kind and case, for three genders and the plural.
var articles = [...][3][4]string{
	definite: {{"der", "die", "das", "die"}, {"den", "die", "das", "die"}, {"dem", "der", "dem", "den"}},
	indefinite: {
		{"ein", "eine", "ein", ""}, {"einen", "eine", "ein", ""}, {"einem", "einer", "einem", ""},
	},
	demonstrative: {
		{"dieser", "diese", "dieses", "diese"}, {"diesen", "diese", "dieses", "diese"},
		{"diesem", "dieser", "diesem", "diesen"},
	},
}

// plurals is the column for plurals, after the columns for genders, in articles and endings.
const plurals = 3

// weak are the endings of adjectives after definite articles, and strong those after other articles.
var (
	weak   = [3][4]string{{"e", "e", "e", "en"}, {"en", "e", "e", "en"}, {"en", "en", "en", "en"}}
	strong = [3][4]string{{"er", "e", "es", "e"}, {"en", "e", "es", "e"}, {"en", "en", "en", "en"}}
)

// writeMainClause writes a clause with the verb in second place, in both languages.
func (w *writer) writeMainClause(c *clause) {
	w.writeSourceClause(c)
	if c.adverbFirst {
		w.putTarget(c.adverb.target...)
		w.putTarget(c.finite())
		w.writeTargetPhrase(&c.subject, nominative)
	} else {
		w.writeTargetPhrase(&c.subject, nominative)
		w.putTarget(c.finite())
	}
	w.writePredicate(c)
	if c.verb.prefix != "" {
		w.putTarget(c.verb.prefix)
	}
}

// writeSubordinate writes a clause with the verb in last place, in both languages.
func (w *writer) writeSubordinate(c *clause) {
	w.writeSourceClause(c)
	w.writeTargetPhrase(&c.subject, nominative)
	if c.adverbFirst {
		w.putTarget(c.adverb.target...)
	}
	w.writePredicate(c)
	w.putTarget(c.verb.prefix + c.finite())
}

// writePredicate writes the parts after subject and verb: object, adverb, "nicht", place.
func (w *writer) writePredicate(c *clause) {
	w.writeTargetPhrase(&c.object, accusative)
	if c.adverb.source != "" && !c.adverbFirst {
		w.putTarget(c.adverb.target...)
	}
	if c.negated {
		w.putTarget("nicht")
	}
	if c.preposition != nil {
		w.putTarget(c.preposition.target)
		w.writeTargetPhrase(&c.place, c.preposition.grammar)
	}
}

// finite returns the verb without its prefix.
func (c *clause) finite() string {
	ending := "t"
	switch {
	case c.past && c.subject.plural:
		ending = "ten"
	case c.past:
		ending = "te"
	case c.subject.plural:
		ending = "en"
	}
	if c.object.plural {
		return c.verb.target[1] + ending
	}
	return c.verb.target[0] + ending
}

// writeTargetPhrase writes a phrase in a case.
func (w *writer) writeTargetPhrase(p *phrase, in grammarCase) {
	if p.name != "" {
		w.putTarget(p.name)
		return
	}
	column := p.noun.gender
	if p.plural {
		column = plurals
	}
	endings := &strong
	switch p.article {
	case definite, demonstrative:
		endings = &weak
		w.putTarget(articles[p.article][in][column])
	case indefinite:
		w.putTarget(articles[p.article][in][column])
	case none:
		w.putTarget(numeral(p.number))
	}
	if p.adjective != nil {
		w.putTarget(p.adjective.target[p.noun.gender] + endings[in][column])
	}
	w.putTarget(p.inflected(in))
}

// inflected returns the noun in a case and number.
func (p *phrase) inflected(in grammarCase) string {
	if !p.plural {
		return p.word
	}
	word := p.word + p.noun.plural
	if in == dative && !strings.HasSuffix(word, "n") && !strings.HasSuffix(word, "s") {
		word += "n"
	}
	return word
}
