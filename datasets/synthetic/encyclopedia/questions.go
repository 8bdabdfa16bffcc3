package encyclopedia

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/draw"
)

// Question asks for what two pages say together.
type Question struct {
	Prompt string
	Answer string
	URLs   [2]string // of the page that the question names, and of the one that has the answer
}

// QuestionCount is how many questions a world has.
const QuestionCount = 48

// Questions are those of the world, in random order. Each kind of link is followed equally often, as far as there are
// links, and no two questions have the same page with the answer.
func (w *World) Questions() []Question {
	r, all := draw.NewRandom(w.seed, questionStream), []Question(nil)
	links := w.links(r)
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
	return draw.Shuffle(r, all)[:QuestionCount]
}

// link is a fact that leads to another page.
type link struct {
	from *entity
	fact fact
}

// links are all, by relation, in random order.
func (w *World) links(r *draw.Random) (all [][]link) {
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
		noun, _, _ := strings.Cut(strings.TrimPrefix(f.relation.the, "the "), " ")
		told = append(told, noun+" "+f.value)
	}
	return map[kind]string{person: "person", town: "town", feast: "feast"}[k] + " with " + strings.Join(told, ", ")
}

// phrases are what the page says of its subject, as phrases without the article before.
func phrases(e *entity) (all []string) {
	for _, f := range e.facts {
		all = append(all, strings.TrimPrefix(f.relation.the, "the "))
	}
	return all
}
