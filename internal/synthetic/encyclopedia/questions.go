package encyclopedia

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Question asks for what two pages say together.
type Question struct {
	Prompt string
	Answer string
	URLs   [2]string // of the page that the question names or describes, and of the one that has the answer
}

// QuestionCount is how many questions a world has.
const QuestionCount = 48

// Questions are those of the world, in random order. Each kind of link is followed equally often, as far as there are
// links, and no two questions have the same page with the answer. One in four does not name its first page but says two
// things that are true of it alone.
func (w *World) Questions() []Question {
	r, all := draw.NewRandom(w.seed, questionStream), []Question(nil)
	links := w.shuffledLinks(r)
	for seen := map[string]bool{}; len(all) < QuestionCount; {
		for i, of := range links {
			for len(of) > 0 {
				q, ok := ask(r, of[0].from, of[0].fact)
				of = of[1:]
				if ok && !seen[q.URLs[1]] {
					seen[q.URLs[1]] = true
					all = append(all, q)
					break
				}
			}
			links[i] = of
		}
	}
	all = draw.Shuffle(r, all)[:QuestionCount]
	for i := range all {
		if i%describedOf == 0 {
			w.describe(r, &all[i])
		}
	}
	return all
}

// describedOf is of how many questions one does not name its page.
const describedOf = 4

// describe puts a description in the place of the name of a question's first page, if there is one of that page alone.
func (w *World) describe(r *draw.Random, q *Question) {
	i := slices.IndexFunc(w.entities, func(e *entity) bool { return url(e.name) == q.URLs[0] })
	e := w.entities[i]
	for _, first := range draw.Shuffle(r, e.facts) {
		for _, second := range e.facts {
			told := []fact{first, second}
			if first.page == nil && second.page == nil && first != second && w.alone(e, told) {
				q.Prompt = strings.Replace(q.Prompt, e.said(), "the "+description(e.kind, told), 1)
				return
			}
		}
	}
}

// link is a fact that leads to another page.
type link struct {
	from *entity
	fact fact
}

// shuffledLinks are all, by relation, in random order.
func (w *World) shuffledLinks(r *draw.Random) (all [][]link) {
	for i := range relations {
		var of []link
		for _, e := range w.entities {
			for _, f := range e.facts {
				if f.page != nil && f.relation == &relations[i] {
					of = append(of, link{e, f})
				}
			}
		}
		if len(of) > 0 {
			all = append(all, draw.Shuffle(r, of))
		}
	}
	return all
}

// ask asks about the page that a fact leads to.
func ask(r *draw.Random, e *entity, first fact) (Question, bool) {
	for _, second := range draw.Shuffle(r, first.page.facts) {
		if len(second.relation.ask) == 0 {
			continue
		}
		step := strings.ReplaceAll(first.relation.the, "$s", e.said())
		return Question{strings.ReplaceAll(one(r, second.relation.ask), "$s", step), second.value,
			[2]string{url(e.name), url(first.page.name)}}, true
	}
	return Question{}, false
}

// Lookup is a text that somebody who looks for a page would search for.
type Lookup struct {
	Text  string
	Title string // of the page that is meant
}

// Lookups are texts of several forms for each page: its name, what is said of it as a phrase, a question that it
// answers, a question of two steps that begins with it, and things that are said of it and of no other page, without
// its name.
func (w *World) Lookups() (all []Lookup) {
	for i, e := range w.entities {
		r := draw.NewRandom(w.seed, questionStream, uint64(i))
		add := func(text string) { all = append(all, Lookup{strings.ReplaceAll(text, "$s", e.said()), e.name}) }
		add("$s")
		for range 2 {
			add(one(r, phrases(e)))
		}
		for _, f := range draw.Shuffle(r, e.facts) {
			if len(f.relation.ask) > 0 {
				add(one(r, f.relation.ask))
				break
			}
		}
		for _, f := range draw.Shuffle(r, e.facts) {
			if f.page != nil {
				q, _ := ask(r, e, f)
				add(q.Prompt)
				break
			}
		}
		for range 2 {
			if told := draw.Shuffle(r, e.facts)[:described]; w.alone(e, told) {
				add(description(e.kind, told))
			}
		}
	}
	return all
}

// described is how many facts a lookup without a name has.
const described = 2

// alone tells whether the facts are those of no other page.
func (w *World) alone(e *entity, facts []fact) bool {
	for _, other := range w.entities {
		missing := func(f fact) bool { return !slices.Contains(other.facts, f) }
		if other != e && !slices.ContainsFunc(facts, missing) {
			return false
		}
	}
	return true
}

// description is "town with river Alm, wares cheese".
func description(k kind, facts []fact) string {
	var told []string
	for _, f := range facts {
		told = append(told, f.relation.noun()+" "+f.value)
	}
	return kindNames[k] + " with " + strings.Join(told, ", ")
}

// phrases are what the page says of its subject, as phrases without the article before.
func phrases(e *entity) (all []string) {
	for _, f := range e.facts {
		all = append(all, strings.TrimPrefix(f.relation.the, "the "))
	}
	return all
}
