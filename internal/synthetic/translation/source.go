package translation

import "strconv"

// writeSourceClause writes a clause in the source language: adverb, subject, verb, object, place. The adverb may also
// come last.
func (w *writer) writeSourceClause(c *clause) {
	if c.adverbFirst {
		w.putSource(c.adverb.source, ",")
	}
	w.writeSourcePhrase(&c.subject)
	w.writeSourceVerb(c)
	w.writeSourcePhrase(&c.object)
	if c.preposition != nil {
		w.putSource(c.preposition.source)
		w.writeSourcePhrase(&c.place)
	}
	if c.adverb.source != "" && !c.adverbFirst {
		w.putSource(c.adverb.source)
	}
}

func (w *writer) writeSourceVerb(c *clause) {
	stem, many := c.verb.source, c.subject.plural
	switch {
	case c.negated && c.past:
		w.putSource("did", "not", stem)
	case c.negated && many:
		w.putSource("do", "not", stem)
	case c.negated:
		w.putSource("does", "not", stem)
	case c.past:
		w.putSource(stem + "ed")
	case many:
		w.putSource(stem)
	default:
		w.putSource(stem + "s")
	}
}

func (w *writer) writeSourcePhrase(p *phrase) {
	if p.name != "" {
		w.putSource(p.name)
		return
	}
	switch {
	case p.number > 0:
		w.putSource(strconv.Itoa(p.number))
	case p.article == definite:
		w.putSource("the")
	case p.article == indefinite:
		w.putSource("a")
	case p.plural:
		w.putSource("these")
	default:
		w.putSource("this")
	}
	if p.adjective != nil {
		w.putSource(p.adjective.source)
	}
	if p.plural {
		w.putSource(p.noun.source + "s")
	} else {
		w.putSource(p.noun.source)
	}
}
