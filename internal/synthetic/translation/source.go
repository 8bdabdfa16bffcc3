package translation

import "strconv"

// sourceClause writes a clause in the source language: adverb, subject, verb, object, place. The adverb may also come
// last.
func (w *writer) sourceClause(c *clause) {
	if c.first {
		w.putSource(c.adverb.source, ",")
	}
	w.sourcePhrase(&c.subject)
	w.sourceVerb(c)
	w.sourcePhrase(&c.object)
	if c.where != nil {
		w.putSource(c.where.source)
		w.sourcePhrase(&c.place)
	}
	if c.adverb.source != "" && !c.first {
		w.putSource(c.adverb.source)
	}
}

func (w *writer) sourceVerb(c *clause) {
	stem, many := c.verb.source, c.subject.plural
	switch {
	case c.not && c.past:
		w.putSource("did", "not", stem)
	case c.not && many:
		w.putSource("do", "not", stem)
	case c.not:
		w.putSource("does", "not", stem)
	case c.past:
		w.putSource(stem + "ed")
	case many:
		w.putSource(stem)
	default:
		w.putSource(stem + "s")
	}
}

func (w *writer) sourcePhrase(p *phrase) {
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
