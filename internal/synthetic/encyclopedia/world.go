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

// said returns the entity's name within a sentence.
func (e *entity) said() string { return saidOf(e.kind, e.name) }

func saidOf(k kind, name string) string {
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
		w.add(person, n.person(everybody, w.family(n.random)))
	}
	for range towns {
		w.add(town, n.town())
	}
	for range feasts {
		w.add(feast, n.feast())
	}
	w.link(draw.NewRandom(seed, linkStream))
	w.tell(&n)
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

// kinsmen is the percentage of people who share the family name of an earlier person.
const kinsmen = 25

// family returns the family name of an existing person, or an empty text.
func (w *World) family(r *draw.Random) string {
	if len(w.entities) == 0 || !r.Chance(kinsmen) {
		return ""
	}
	return family(w.entities[r.Below(len(w.entities))].name)
}

func family(name string) string {
	_, last, _ := strings.Cut(name, " ")
	return last
}

// link links people, towns and feasts: mayors, founders, teachers and places. The page at the end of a link never names
// its start.
func (w *World) link(r *draw.Random) {
	leaders := draw.Shuffle(r, w.people())
	leads := map[*entity]*entity{} // town of each mayor
	for i, t := range w.towns() {
		t.point("the mayor of $s", leaders[i])
		leads[leaders[i]] = t
	}
	for i, f := range w.feasts() {
		f.point("the town that hosts $s", w.towns()[r.Below(towns)])
		f.point("the founder of $s", leaders[people-1-i])
	}
	for i, p := range w.people() {
		born := w.towns()[r.Below(towns)]
		for born == leads[p] {
			born = w.towns()[r.Below(towns)]
		}
		p.point("the birthplace of $s", born)
		if i > 0 && r.Chance(taught) {
			p.point("the teacher of $s", w.people()[r.Below(i)])
		}
	}
}

// taught is the percentage of people who have a teacher with a page.
const taught = 60

func (e *entity) point(the string, to *entity) {
	i := slices.IndexFunc(relations, func(r relation) bool { return r.the == the })
	e.facts = append(e.facts, fact{&relations[i], to.name, to})
}

// Minimum and maximum number of a page's facts without links.
const factsLeast, factsMost = 3, 5

// tell draws the other facts.
func (w *World) tell(n *namer) {
	for _, e := range w.entities {
		var own []*relation
		for i := range relations {
			if r := &relations[i]; r.subject == e.kind && !r.linked() {
				own = append(own, r)
			}
		}
		own = draw.Shuffle(n.random, own)
		for _, r := range own[:min(len(own), n.random.Between(factsLeast, factsMost))] {
			e.facts = append(e.facts, fact{r, n.value(r, e), nil})
		}
	}
}

// value draws the value of a relation without a page.
func (n *namer) value(r *relation, e *entity) string {
	switch r.object {
	case woman:
		return n.person(women, "")
	case man:
		if e.kind == person {
			return n.person(men, family(e.name))
		}
		return n.person(men, "")
	case year:
		return n.year()
	default:
		return one(n.random, r.list)
	}
}
