package encyclopedia

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Fact is a statement of a text. Relation describes the value's relation to the subject, which it contains as $s.
type Fact struct{ Subject, Relation, Value string }

// Facts returns the facts in a text, in the order of the relations' table. It only finds facts in whole sentences.
func Facts(text string) (all []Fact) {
	for _, p := range patterns().say {
		if !strings.Contains(text, p.literal) {
			continue // most sentences do not contain it; this test is much faster than the expression
		}
		for _, m := range p.expression.FindAllStringSubmatch(text, -1) {
			all = append(all, Fact{withoutArticle(m[p.subject]), p.relation.phrase, strings.TrimSpace(m[p.value])})
		}
	}
	return all
}

// Understand parses a question of [World.Questions]. It returns the name or the description (see [Described]) at which
// the question begins, and the relations of the first and the second step.
func Understand(question string) (name string, steps [2]string, ok bool) {
	for _, p := range patterns().ask {
		m := p.expression.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		for _, q := range patterns().the {
			if n := q.expression.FindStringSubmatch(m[1]); n != nil {
				return withoutArticle(n[1]), [2]string{q.relation.phrase, p.relation.phrase}, true
			}
		}
	}
	return "", steps, false
}

// Described parses a description such as "town with river Alm, wares cheese". It returns facts without a subject, or
// nil for other texts.
func Described(text string) (all []Fact) {
	name, told, ok := strings.Cut(text, " with ")
	k := kind(slices.Index(kindNames[:], name))
	if !ok || k < 0 {
		return nil
	}
	for _, one := range strings.Split(told, ", ") {
		noun, value, _ := strings.Cut(one, " ")
		for i := range relations {
			if r := &relations[i]; r.subject == k && r.noun() == noun {
				all = append(all, Fact{Relation: r.phrase, Value: value})
			}
		}
	}
	return all
}

// withoutArticle returns a subject's name without the article of a feast.
func withoutArticle(subject string) string {
	return strings.TrimPrefix(strings.TrimPrefix(subject, "the "), "The ")
}

// pattern matches the sentences of a template. subject and value are groups of the expression, and literal occurs in
// each sentence.
type pattern struct {
	relation       *relation
	expression     *regexp.Regexp
	literal        string
	subject, value int
}

// templatePatterns are the templates of the table as expressions.
type templatePatterns struct {
	say []pattern // facts
	ask []pattern // questions; group 1 is the phrase of the previous step
	the []pattern // phrases; group 1 is the subject
}

// patterns compiles the expressions once.
var patterns = sync.OnceValue(func() (all templatePatterns) {
	for i := range relations {
		r := &relations[i]
		for _, say := range r.sentences {
			all.say = append(all.say, templateOf(r, say))
		}
		for _, ask := range r.questions {
			all.ask = append(all.ask, pattern{relation: r, expression: wholeText(ask, "(the .+)")})
		}
		if r.leadsToPage() {
			subject := "(" + shapes[r.subject] + "|the " + kindNames[r.subject] + " with .+)"
			all.the = append(all.the, pattern{relation: r, expression: wholeText(r.phrase, subject)})
		}
	}
	return all
})

func wholeText(text, subject string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.Replace(regexp.QuoteMeta(text), `\$s`, subject, 1) + "$")
}

// templateOf converts a sentence's template to an expression. Spaces surround the text of a link, and the value may be
// part of it.
func templateOf(r *relation, say string) pattern {
	text := strings.NewReplacer(`\.`, ` ?\.`, `,`, ` ?,`).Replace(regexp.QuoteMeta(say))
	text = strings.Replace(text, `\$s`, "("+shapes[r.subject]+")", 1)
	text = strings.Replace(text, `\$a`, "("+shapes[r.object]+")", 1)
	p := pattern{relation: r, expression: regexp.MustCompile(`(?:^|[.\]] |[a-z] )` + text), literal: literalOf(say),
		subject: 1, value: 2}
	if strings.Index(say, "$a") < strings.Index(say, "$s") {
		p.subject, p.value = 2, 1
	}
	return p
}

// literalOf returns the longest text that all sentences of a template contain.
func literalOf(say string) (longest string) {
	for _, part := range strings.Split(strings.NewReplacer("$s", ".", "$a", ".", ",", ".").Replace(say), ".") {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// shapes are expressions for names and values.
var shapes = map[kind]string{
	person: `\p{Lu}\p{L}+ \p{Lu}\p{L}+`, woman: `\p{Lu}\p{L}+ \p{Lu}\p{L}+`, man: `\p{Lu}\p{L}+ \p{Lu}\p{L}+`,
	town: `\p{Lu}\p{L}+`, feast: `[Tt]he \p{Lu}\p{L}+ \p{Lu}\p{L}+`, year: `\d{4}`, word: `[^.,]+?`,
}

// Phrase returns a relation of [Fact] with the name of its subject: "the mayor of Aldburg". It returns relation itself
// if no such relation exists.
func Phrase(relation, subject string) string {
	for i := range relations {
		if r := &relations[i]; r.phrase == relation {
			return strings.Replace(relation, "$s", nameInSentenceOf(r.subject, subject), 1)
		}
	}
	return relation
}
