package products

import (
	"maps"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pcg64"
)

// scoredAnswer is what the scorer keeps of an answer.
type scoredAnswer struct {
	product          uint32
	parsed, answered bool // the latter: second-hand
}

// DrawScores contains the scores of random answers: for each product one of its categories, one of all brands, and a
// random second-hand state. The official scorer draws brands from a list whose order changes with each run; here the
// list is sorted.
type DrawScores struct{ CategoryF1, Brand, SecondHandF1 float64 }

// The official scorer's seed, and among how many processes it shares the answers out, each of which has a seed of its
// own: as many as the machine has cores, and no more than these.
const (
	officialSeed = 12345
	maxProcesses = 4
)

// RandomScores are the scores of the official scorer's draws for all products of which there is an answer, whatever it
// is.
func (s *AnswerScorer) RandomScores() DrawScores {
	var d DrawScores
	s.drawScores(&d)
	return d
}

// drawScores returns the F1 of what is second-hand, and fills in the scores of draws where they are wanted. It takes
// the official scorer's numbers in its order: for each answer that cannot be read one of true and false, then for every
// product a category, and true or false; then a brand for each.
func (s *AnswerScorer) drawScores(random *DrawScores) (answered float64) {
	var of, secondHand f1Counts
	var categories levelCounts
	seeds, part := pcg64.New(officialSeed), max(len(s.taken)/maxProcesses, 1)
	var g *pcg64.Generator
	for i, t := range s.taken {
		p := &s.products[t.product]
		if i%part == 0 {
			g = pcg64.New(seeds.Uint32())
		}
		yes := t.answered
		if !t.parsed {
			yes = tossCoin(g)
		}
		of.add(yes, p.SecondHand)
		k, category := g.Below(uint32(len(p.Offered))), ""
		secondHand.add(tossCoin(g), p.SecondHand)
		if random == nil {
			continue
		}
		if len(p.Offered) > 0 {
			category = p.Offered[k]
		}
		categories.add(compareLevels(category, p.Category, s.form))
	}
	if random != nil {
		*random = DrawScores{categories.f1(), s.randomBrands(seeds), secondHand.f1()}
	}
	return of.f1()
}

// randomBrands is the share of drawn brands that are like the true ones.
func (s *AnswerScorer) randomBrands(g *pcg64.Generator) float64 {
	all := map[string][]rune{}
	for _, t := range s.taken {
		if brand := s.products[t.product].Brand; all[brand] == nil {
			all[brand] = plainBrand(brand)
		}
	}
	brands := slices.Sorted(maps.Keys(all))
	right := 0
	for _, t := range s.taken {
		if similarBrands(all[brands[g.Below(uint32(len(brands)))]], all[s.products[t.product].Brand]) {
			right++
		}
	}
	return ratioOf(right, len(s.taken))
}

// tossCoin draws the first of true and false, or the second.
func tossCoin(g *pcg64.Generator) bool { return g.Below(2) == 0 }

// f1Counts counts what is said to be so, what is so, and what is both.
type f1Counts struct{ said, is, both int }

func (t *f1Counts) add(said, is bool) {
	for _, c := range []struct {
		so bool
		n  *int
	}{{said, &t.said}, {is, &t.is}, {said && is, &t.both}} {
		if c.so {
			*c.n++
		}
	}
}

func (t *f1Counts) f1() float64 { return ratioOf(2*t.both, t.said+t.is) }
