package clicks

import (
	"math"
	"math/bits"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// modelSeed is the seed of the hidden model.
const modelSeed = 0x636c6963_00000000

// topics is the number of hidden properties of a row, in addition to its own effect.
const topics = 3

// one is 1 in the hidden model's fixed-point numbers.
const one = 256

// hiddenModel is the hidden model. Its numbers have units of 1/256.
type hiddenModel struct {
	rows      [Tables][]rowProperties
	share     [Tables]int // factor for a sum of indices, 1 / sqrt(hotness), which gives all tables the same variance
	weights   [Tables]int // weight of a table's own effect
	cross     [crossings]crossing
	tunedBy   [DenseFeatures]int      // table whose topic modifies a number's effect
	log1p     [1 << countBits]float32 // log(1 + count)
	clickOdds [2*maxLogit + 1]uint32  // probability of a click by logit, in units of 2^-32
}

// rowProperties contains the properties of a table's row: its own effect, then its topics, each approximately uniform
// in -1/2 to 1/2.
type rowProperties [1 + topics]int8

// crossings is the number of pairs of tables with a joint effect.
const crossings = 16

type crossing struct{ a, b, weight int }

// smallTables returns the tables with up to a few hundred rows. A model can learn the joint effects of so few rows.
func smallTables() []int { return []int{5, 8, 12, 15, 16, 18, 24, 25} }

// maxLogit is the largest logit in the table of probabilities.
const maxLogit = 8 * one

// Gains of the parts of the logit, and its mean, in 1/256. They give clicks in about a fifth of all pairs, and each
// part contributes about a third of the signal.
const (
	ownGain   = 330
	crossGain = 480
	denseGain = 22
	meanLogit = -200
)

func newHiddenModel() *hiddenModel {
	t := new(hiddenModel)
	r := draw.NewRandom(modelSeed)
	hotness, rows, small := Hotness(), Rows(), smallTables()
	for k := range t.rows {
		t.share[k] = draw.Sqrt(one * one / hotness[k])
		t.weights[k] = r.IntBetween(one/4, one)
		t.rows[k] = make([]rowProperties, rows[k])
		for i := range t.rows[k] {
			t.rows[k][i] = newRow(r.Uint64())
		}
	}
	for i := range t.cross {
		pair := draw.Shuffle(r, small)
		t.cross[i] = crossing{pair[0], pair[1], r.IntBetween(one/2, one)}
	}
	for j := range t.tunedBy {
		t.tunedBy[j] = small[j%len(small)]
	}
	for count := range t.log1p {
		t.log1p[count] = float32(math.Log(float64(count + 1)))
	}
	for i := range t.clickOdds {
		t.clickOdds[i] = uint32(math.Round(math.MaxUint32 / (1 + math.Exp(float64(maxLogit-i)/one))))
	}
	return t
}

func newRow(bits uint64) (r rowProperties) {
	for i := range r {
		r[i] = int8(bits >> (8 * i))
	}
	return r
}

// pairFeatures are the properties of a pair that the hidden model uses.
type pairFeatures struct {
	levels [DenseFeatures]int // log2(1 + count)
	tables [Tables][1 + topics]int
}

// sumRows returns the sum of the properties of a table's indices.
func (t *hiddenModel) sumRows(table int, indices []int32) (s [1 + topics]int) {
	rows := t.rows[table]
	for _, index := range indices {
		for i, v := range rows[index] {
			s[i] += int(v)
		}
	}
	for i := range s {
		s[i] = s[i] * t.share[table] / one
	}
	return s
}

func (t *hiddenModel) logit(p *pairFeatures) int {
	own, cross := 0, 0
	for k, s := range p.tables {
		own += t.weights[k] * s[0]
	}
	for _, c := range t.cross {
		a, b := p.tables[c.a], p.tables[c.b]
		dot := 0
		for i := 1; i <= topics; i++ {
			dot += a[i] * b[i]
		}
		cross += c.weight * (dot / one)
	}
	return meanLogit + (own/one*ownGain+cross/one*crossGain+t.denseEffect(p)*denseGain)/one
}

// denseEffect returns the effect of the numbers. A third of them act linearly, a third by their distance from the
// middle, and a third through the topic of a table.
func (t *hiddenModel) denseEffect(p *pairFeatures) int {
	sum := 0
	for j, level := range p.levels {
		level -= countBits / 2 * one
		switch j % 3 {
		case 0:
			sum += level
		case 1:
			sum += 3*one - max(level, -level)
		case 2:
			sum += level * p.tables[t.tunedBy[j]][1] / one * 3
		}
	}
	return sum
}

// chance returns the probability of a click, in units of 2^-32.
func (t *hiddenModel) chance(logit int) uint32 {
	return t.clickOdds[min(max(logit, -maxLogit), maxLogit)+maxLogit]
}

// log2 returns the binary logarithm of v, which must be at least 1. It interpolates linearly between powers of two.
func log2(v int) int {
	n := bits.Len(uint(v)) - 1
	return n*one + (v<<8>>n)&(one-1)
}
