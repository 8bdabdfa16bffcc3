package clicks

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// The shape of a pair, as in the official data set.
const (
	DenseFeatures = 13
	Tables        = 26
)

// Seeds of the sets. The sets have no common pairs and use the same hidden model.
const (
	TrainSeed = 0x636c6963_00000001
	EvalSeed  = 0x636c6963_00000002
)

// Sizes of the sets, in pairs.
const (
	TrainCount = 5_000_000
	EvalCount  = 271_600 // a thousand samples of the benchmark
)

// maxRows limits the size of tables. The largest tables of the official data set have 40 million rows.
const maxRows = 1000

// Hotness returns the number of indices of a pair in each table, equal to the official multi-hot data set.
func Hotness() [Tables]int {
	return [Tables]int{3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1}
}

// Rows returns the number of rows of each table: the official number, limited to 1000.
func Rows() [Tables]int {
	const m = maxRows
	return [Tables]int{m, m, m, m, m, 3, m, m, 63, m, m, m, 10, m, m, 155, 4, 976, 14, m, m, m, m, m, 108, 36}
}

// Set is a click log. It is safe for concurrent use.
type Set struct {
	seed  uint64
	n     int
	model *hiddenModel
}

// New returns the set of n pairs for a seed.
func New(seed uint64, n int) *Set { return &Set{seed, n, newHiddenModel()} }

// Train returns the set that the embedded model is trained on.
func Train() *Set { return New(TrainSeed, TrainCount) }

// Eval returns the set on which AUC is measured.
func Eval() *Set { return New(EvalSeed, EvalCount) }

// Len returns the number of pairs.
func (s *Set) Len() int { return s.n }

// Block contains pairs. Each list contains the values of one pair after those of the previous pair.
type Block struct {
	Dense  []float32       // 13 of each pair: log(1 + count)
	Sparse [Tables][]int32 // Hotness()[k] of each pair
	Labels []uint8         // 0 or 1
}

// NewBlock returns a block for n pairs.
func NewBlock(n int) *Block {
	b := &Block{Dense: make([]float32, n*DenseFeatures), Labels: make([]uint8, n)}
	for k, hot := range Hotness() {
		b.Sparse[k] = make([]int32, n*hot)
	}
	return b
}

// Read draws pairs [start, start + len(b.Labels)) into b. The lists of b must have the lengths of NewBlock's.
func (s *Set) Read(b *Block, start int) error {
	if end := start + len(b.Labels); start < 0 || end > s.n {
		return fmt.Errorf("synthetic clicks: pairs %d to %d, want pairs within 0 to %d", start, end, s.n)
	}
	hotness, rows := Hotness(), Rows()
	for i := range b.Labels {
		s.drawPair(b, i, uint64(start+i), &hotness, &rows)
	}
	return nil
}

// drawPair draws a pair into position i of b.
func (s *Set) drawPair(b *Block, i int, pair uint64, hotness, rows *[Tables]int) {
	r := draw.NewRandom(s.seed, pair)
	var p pairFeatures
	for j := range p.levels {
		count := drawCount(r)
		p.levels[j] = log2(count + 1)
		b.Dense[i*DenseFeatures+j] = s.model.log1p[count]
	}
	bits := bitSource{random: r}
	for k := range b.Sparse {
		hot := hotness[k]
		indices := b.Sparse[k][i*hot : (i+1)*hot]
		drawIndices(indices, &bits, uint32(rows[k]))
		p.tables[k] = s.model.sumRows(k, indices)
	}
	b.Labels[i] = 0
	if uint32(r.Uint64()>>32) < s.model.chance(s.model.logit(&p)) {
		b.Labels[i] = 1
	}
}

// countBits is the number of bits of the largest count.
const countBits = 12

// drawCount returns a count in [0, 2^countBits) with an approximately uniform logarithm.
func drawCount(r *draw.Random) int {
	v := r.Uint64()
	length := int(v >> 32 * (countBits + 1) >> 32)
	return int(v & (1<<length - 1))
}

// bitSource returns random bits, 16 at a time.
type bitSource struct {
	random *draw.Random
	bits   uint64
	left   int
}

func (b *bitSource) next() uint32 {
	if b.left == 0 {
		b.bits, b.left = b.random.Uint64(), 4
	}
	v := uint32(b.bits & 0xffff)
	b.bits >>= 16
	b.left--
	return v
}

// drawIndices draws rows; the first rows are the most frequent, by the cube of a uniform fraction.
func drawIndices(indices []int32, b *bitSource, rows uint32) {
	for i := range indices {
		u := b.next()
		indices[i] = int32(u * u >> 16 * u >> 16 * rows >> 16)
	}
}
