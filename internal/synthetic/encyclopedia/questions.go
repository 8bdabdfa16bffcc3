package encyclopedia

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Question is a question whose answer requires two pages.
type Question struct {
	Prompt string
	Answer string
	URLs   [2]string // addresses of the page that the question names or describes, and of the page with the answer
}

// QuestionCount is the number of questions of a world.
const QuestionCount = 48

// Questions returns the questions of the world in random order. Each kind of link is followed equally often, as far as
// there are enough links, and no two questions have the answer on the same page. One in four describes its first page
// by two facts that are true only of that page, instead of naming it.
func (w *World) Questions() []Question {
	r, all := draw.NewRandom(w.seed, questionStream), []Question(nil)
	links := w.shuffledLinks(r)
	for seen := map[string]bool{}; len(all) < QuestionCount; {
		for i, of := range links {
			for len(of) > 0 {
				q, ok := askAbout(r, of[0].from, of[0].fact)
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
		if i%describedInterval == 0 {
			w.describeFirstPage(r, &all[i])
		}
	}
	return all
}

// describedInterval is the number of questions of which one describes its first page.
const describedInterval = 4

// describeFirstPage replaces the name of a question's first page by a description, if one exists that fits only that
// page.
func (w *World) describeFirstPage(r *draw.Random, q *Question) {
	i := slices.IndexFunc(w.entities, func(e *entity) bool { return url(e.name) == q.URLs[0] })
	e := w.entities[i]
	for _, first := range draw.Shuffle(r, e.facts) {
		for _, second := range e.facts {
			told := []fact{first, second}
			if first.page == nil && second.page == nil && first != second && w.isUnique(e, told) {
				q.Prompt = strings.Replace(q.Prompt, e.nameInSentence(), "the "+description(e.kind, told), 1)
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

// shuffledLinks returns all links, by relation, in random order.
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

// askAbout returns a question about the page to which a fact leads.
func askAbout(r *draw.Random, e *entity, first fact) (Question, bool) {
	for _, second := range draw.Shuffle(r, first.page.facts) {
		if len(second.relation.questions) == 0 {
			continue
		}
		step := strings.ReplaceAll(first.relation.phrase, "$s", e.nameInSentence())
		return Question{strings.ReplaceAll(drawOne(r, second.relation.questions), "$s", step), second.value,
			[2]string{url(e.name), url(first.page.name)}}, true
	}
	return Question{}, false
}

// Lookup is a search text for a page.
type Lookup struct {
	Text  string
	Title string // title of the page
}

// Lookups returns search texts of several forms for each page: its name, a fact as a phrase, a question that it
// answers, a question of two steps that begins with it, and facts that are true only of this page, without its name.
func (w *World) Lookups() (all []Lookup) {
	for i, e := range w.entities {
		r := draw.NewRandom(w.seed, questionStream, uint64(i))
		add := func(text string) {
			all = append(all, Lookup{strings.ReplaceAll(text, "$s", e.nameInSentence()), e.name})
		}
		add("$s")
		for range 2 {
			add(drawOne(r, phrases(e)))
		}
		for _, f := range draw.Shuffle(r, e.facts) {
			if len(f.relation.questions) > 0 {
				add(drawOne(r, f.relation.questions))
				break
			}
		}
		for _, f := range draw.Shuffle(r, e.facts) {
			if f.page != nil {
				q, _ := askAbout(r, e, f)
				add(q.Prompt)
				break
			}
		}
		for range 2 {
			if told := draw.Shuffle(r, e.facts)[:describingFacts]; w.isUnique(e, told) {
				add(description(e.kind, told))
			}
		}
	}
	return all
}

// describingFacts is the number of facts in a lookup without a name.
const describingFacts = 2

// isUnique reports whether no other page has all of the facts.
func (w *World) isUnique(e *entity, facts []fact) bool {
	for _, other := range w.entities {
		missing := func(f fact) bool { return !slices.Contains(other.facts, f) }
		if other != e && !slices.ContainsFunc(facts, missing) {
			return false
		}
	}
	return true
}

// description returns a description such as "town with river Alm, wares cheese".
func description(k kind, facts []fact) string {
	var told []string
	for _, f := range facts {
		told = append(told, f.relation.noun()+" "+f.value)
	}
	return kindNames[k] + " with " + strings.Join(told, ", ")
}

// phrases returns the facts of a page's subject as phrases without the leading article.
func phrases(e *entity) (all []string) {
	for _, f := range e.facts {
		all = append(all, strings.TrimPrefix(f.relation.phrase, "the "))
	}
	return all
}
