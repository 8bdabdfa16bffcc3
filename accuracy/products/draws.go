package products

import "github.com/plumbline-ml/plumbline/internal/pcg64"

// taken is what is kept of an answer.
type taken struct {
	choices                   uint32 // categories that its product is offered
	parsed, answered, correct bool   // the last two: second-hand
}

// The official scorer's seed, and among how many processes it shares the answers out, each of which has a seed of its
// own: as many as the machine has cores, and no more than these.
const (
	officialSeed  = 12345
	mostProcesses = 4
)

// secondHand is the F1 of what is second-hand, and that of draws. It takes the official scorer's numbers in its order:
// for each answer that cannot be read one of true and false, then for every product a category, and true or false.
func (s *Scorer) secondHand() (answered, drawn float64) {
	var of, random tally
	seeds, part := pcg64.New(officialSeed), max(len(s.taken)/mostProcesses, 1)
	var g *pcg64.Generator
	for i, t := range s.taken {
		if i%part == 0 {
			g = pcg64.New(seeds.Uint32())
		}
		yes := t.answered
		if !t.parsed {
			yes = coin(g)
		}
		of.add(yes, t.correct)
		g.Below(t.choices)
		random.add(coin(g), t.correct)
	}
	return of.f1(), random.f1()
}

// coin draws the first of true and false, or the second.
func coin(g *pcg64.Generator) bool { return g.Below(2) == 0 }

// tally counts what is said to be so, what is so, and what is both.
type tally struct{ said, is, both int }

func (t *tally) add(said, is bool) {
	for _, c := range []struct {
		so bool
		n  *int
	}{{said, &t.said}, {is, &t.is}, {said && is, &t.both}} {
		if c.so {
			*c.n++
		}
	}
}

func (t *tally) f1() float64 { return ratio(2*t.both, t.said+t.is) }
