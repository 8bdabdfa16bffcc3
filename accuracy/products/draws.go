package products

import (
	"maps"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/pcg64"
)

// scoredAnswer contains the data that the scorer keeps of each answer.
type scoredAnswer struct {
	product            uint32
	parsed, secondHand bool // answered: the answer states that the product is second-hand
}

// DrawScores contains the scores of random answers. Each random answer has one of the product's categories, one of all
// brands, and a random second-hand state. The official scorer draws brands from a list whose order changes with each
// run; here the list is sorted.
type DrawScores struct{ CategoryF1, Brand, SecondHandF1 float64 }

// The official scorer's seed and its maximum number of processes. It distributes the answers over one process for each
// core of the machine, and each process has its own seed.
const (
	officialSeed = 12345
	maxProcesses = 4
)

// RandomScores returns the scores of the official scorer's random answers for all answered products.
func (s *AnswerScorer) RandomScores() DrawScores {
	var d DrawScores
	s.drawScores(&d)
	return d
}

// drawScores returns the F1 of second-hand products and, if random is not nil, sets the scores of random answers. It
// draws the official scorer's random numbers in the same order: for each answer, a truth value if the answer is
// unparsable, then a category, then a truth value; after all answers, a brand for each.
func (s *AnswerScorer) drawScores(random *DrawScores) (secondHandF1 float64) {
	var of, secondHand f1Counts
	var categories levelCounts
	seeds, part := pcg64.New(officialSeed), max(len(s.scored)/maxProcesses, 1)
	var g *pcg64.Generator
	for i, t := range s.scored {
		p := &s.products[t.product]
		if i%part == 0 {
			g = pcg64.New(seeds.Uint32())
		}
		yes := t.secondHand
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

// randomBrands returns the share of drawn brands that are similar to the true ones.
func (s *AnswerScorer) randomBrands(g *pcg64.Generator) float64 {
	all := map[string][]rune{}
	for _, t := range s.scored {
		if brand := s.products[t.product].Brand; all[brand] == nil {
			all[brand] = normalizeBrand(brand)
		}
	}
	brands := slices.Sorted(maps.Keys(all))
	right := 0
	for _, t := range s.scored {
		if areSimilarBrands(all[brands[g.Below(uint32(len(brands)))]], all[s.products[t.product].Brand]) {
			right++
		}
	}
	return ratioOf(right, len(s.scored))
}

// tossCoin draws from the list (true, false) and reports whether it drew the first.
func tossCoin(g *pcg64.Generator) bool { return g.Below(2) == 0 }

// f1Counts counts predicted positives, actual positives and true positives.
type f1Counts struct{ predicted, actual, correct int }

func (t *f1Counts) add(predicted, actual bool) {
	for _, c := range []struct {
		so bool
		n  *int
	}{{predicted, &t.predicted}, {actual, &t.actual}, {predicted && actual, &t.correct}} {
		if c.so {
			*c.n++
		}
	}
}

func (t *f1Counts) f1() float64 { return ratioOf(2*t.correct, t.predicted+t.actual) }
