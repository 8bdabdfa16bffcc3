package encyclopedia

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of a world, in pages.
const (
	people = 96
	towns  = 48
	feasts = 32
	// PageCount is the number of pages of a world.
	PageCount = people + towns + feasts
)

// entity is the subject of a page.
type entity struct {
	kind  kind
	name  string
	facts []fact
}

// fact is a relation of an entity to a value. The value may have a page.
type fact struct {
	relation *relation
	value    string
	page     *entity
}

// nameInSentence returns the entity's name within a sentence.
func (e *entity) nameInSentence() string { return nameInSentenceOf(e.kind, e.name) }

func nameInSentenceOf(k kind, name string) string {
	if k == feast {
		return "the " + name
	}
	return name
}

// World is an encyclopedia.
type World struct {
	seed     uint64
	entities []*entity // people, towns, feasts
}

// New draws the world for a seed.
func New(seed uint64) *World {
	w := &World{seed: seed}
	n := namer{random: draw.NewRandom(seed, nameStream), used: map[string]bool{}}
	for range people {
		w.add(person, n.person(everybody, w.drawFamily(n.random)))
	}
	for range towns {
		w.add(town, n.town())
	}
	for range feasts {
		w.add(feast, n.feast())
	}
	w.linkEntities(draw.NewRandom(seed, linkStream))
	w.addFacts(&n)
	return w
}

// Streams of random numbers of a world.
const (
	nameStream = iota
	linkStream
	pageStream
	questionStream
)

func (w *World) add(k kind, name string) {
	w.entities = append(w.entities, &entity{kind: k, name: name})
}

func (w *World) people() []*entity { return w.entities[:people] }
func (w *World) towns() []*entity  { return w.entities[people : people+towns] }
func (w *World) feasts() []*entity { return w.entities[people+towns:] }

// kinsmenPercent is the percentage of people who share the family name of an earlier person.
const kinsmenPercent = 25

// drawFamily returns the family name of an existing person, or an empty text.
func (w *World) drawFamily(r *draw.Random) string {
	if len(w.entities) == 0 || !r.Chance(kinsmenPercent) {
		return ""
	}
	return familyName(w.entities[r.IntBelow(len(w.entities))].name)
}

func familyName(name string) string {
	_, last, _ := strings.Cut(name, " ")
	return last
}

// linkEntities links people, towns and feasts: mayors, founders, teachers and places. The page at the end of a link
// never names its start.
func (w *World) linkEntities(r *draw.Random) {
	leaders := draw.Shuffle(r, w.people())
	leads := map[*entity]*entity{} // town of each mayor
	for i, t := range w.towns() {
		t.addLink("the mayor of $s", leaders[i])
		leads[leaders[i]] = t
	}
	for i, f := range w.feasts() {
		f.addLink("the town that hosts $s", w.towns()[r.IntBelow(towns)])
		f.addLink("the founder of $s", leaders[people-1-i])
	}
	for i, p := range w.people() {
		born := w.towns()[r.IntBelow(towns)]
		for born == leads[p] {
			born = w.towns()[r.IntBelow(towns)]
		}
		p.addLink("the birthplace of $s", born)
		if i > 0 && r.Chance(taughtPercent) {
			p.addLink("the teacher of $s", w.people()[r.IntBelow(i)])
		}
	}
}

// taughtPercent is the percentage of people who have a teacher with a page.
const taughtPercent = 60

func (e *entity) addLink(the string, to *entity) {
	i := slices.IndexFunc(relations, func(r relation) bool { return r.phrase == the })
	e.facts = append(e.facts, fact{&relations[i], to.name, to})
}

// Minimum and maximum number of a page's facts without links.
const minFacts, maxFacts = 3, 5

// addFacts draws the other facts.
func (w *World) addFacts(n *namer) {
	for _, e := range w.entities {
		var own []*relation
		for i := range relations {
			if r := &relations[i]; r.subject == e.kind && !r.leadsToPage() {
				own = append(own, r)
			}
		}
		own = draw.Shuffle(n.random, own)
		for _, r := range own[:min(len(own), n.random.IntBetween(minFacts, maxFacts))] {
			e.facts = append(e.facts, fact{r, n.drawValue(r, e), nil})
		}
	}
}

// drawValue draws the value of a relation without a page.
func (n *namer) drawValue(r *relation, e *entity) string {
	switch r.object {
	case woman:
		return n.person(women, "")
	case man:
		if e.kind == person {
			return n.person(men, familyName(e.name))
		}
		return n.person(men, "")
	case year:
		return n.year()
	default:
		return drawOne(n.random, r.values)
	}
}
