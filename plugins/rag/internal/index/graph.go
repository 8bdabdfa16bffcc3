package index

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/gonum"
)

// GraphParams contains the parameters of a graph, with their names in the paper.
type GraphParams struct {
	M              int `json:"M"` // links of a vector on each level; twice as many on the lowest
	EFConstruction int `json:"efConstruction"`
	EFSearch       int `json:"efSearch"`
}

// OfficialParams are the parameters of the reference's database.
func OfficialParams() GraphParams { return GraphParams{M: 32, EFConstruction: 200, EFSearch: 100} }

// ErrVector is a vector of another dimension, or with a value that is no number.
var ErrVector = errors.New("a vector that the index cannot take")

// Graph is an index. Search and SearchAll may be called concurrently, but not during Add and LinkLast.
type Graph struct {
	GraphParams
	dim      int
	vectors  []float32 // of all, one after the other
	squares  []float32 // the squared length of each
	links    [][][]uint32
	linked   int // the vectors before are in the graph
	entry    uint32
	searches sync.Pool
}

// New makes an empty graph of vectors of a dimension above 0.
func New(dim int, p GraphParams) *Graph { return &Graph{GraphParams: p, dim: dim} }

// Len is how many vectors there are, and Dim how many values each has.
func (g *Graph) Len() int { return len(g.squares) }

// Dim is how many values a vector has.
func (g *Graph) Dim() int { return g.dim }

// Vector is vector i. It must not be changed.
func (g *Graph) Vector(i int) []float32 { return g.vectors[i*g.dim : (i+1)*g.dim : (i+1)*g.dim] }

// Add adds a copy of a vector, and links all groups that are full.
func (g *Graph) Add(v []float32) error {
	square := Dot(v, v)
	if len(v) != g.dim || math.IsNaN(float64(square)) || math.IsInf(float64(square), 0) {
		return fmt.Errorf("%w: %d values of squared length %v, want %d", ErrVector, len(v), square, g.dim)
	}
	g.vectors = append(g.vectors, v...)
	g.squares = append(g.squares, square)
	for g.Len()-g.linked >= group {
		g.linkNext(group)
	}
	return nil
}

// LinkLast links the vectors of the last group. It is called when all are added.
func (g *Graph) LinkLast() {
	if n := g.Len() - g.linked; n > 0 {
		g.linkNext(n)
	}
}

// Dot is the product of two vectors of one length.
func Dot(a, b []float32) float32 { return gonum.Implementation{}.Sdot(len(a), a, 1, b, 1) }

// distanceTo is the squared distance of vector i from one of squared length square.
func (g *Graph) distanceTo(v []float32, square float32, i uint32) float32 {
	return max(0, square+g.squares[i]-2*Dot(v, g.Vector(int(i))))
}

// topLevel is the highest level of vector i, as in the paper, by a number that depends on i alone.
func (g *Graph) topLevel(i int) int {
	u := (float64(mixBits(uint64(i))>>11) + 1) / (1 << 53)
	return int(-math.Log(u) / math.Log(float64(max(g.M, 2))))
}

// mixBits is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mixBits(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// maxLinks is the maximum number of links of a vector on a level.
func (g *Graph) maxLinks(level int) int {
	if level == 0 {
		return 2 * g.M
	}
	return g.M
}

// Hit is a vector found by a search.
type Hit struct {
	ID       uint32
	Distance float32 // squared
}

// isBefore orders hits: the nearest first, of equal ones the one that was added first.
func (h Hit) isBefore(o Hit) bool {
	return h.Distance < o.Distance || h.Distance == o.Distance && h.ID < o.ID
}

func compareHits(a, b Hit) int {
	switch {
	case a.isBefore(b):
		return -1
	case b.isBefore(a):
		return 1
	}
	return 0
}

// Search finds about the k vectors nearest to a query of the graph's dimension, the nearest first.
func (g *Graph) Search(query []float32, k int) []Hit {
	if g.linked == 0 || k < 1 {
		return nil
	}
	s := g.borrowSearch()
	defer g.searches.Put(s)
	s.setQuery(query)
	from := s.descendTo(0)
	hits := s.searchLevel([]Hit{from}, 0, max(g.EFSearch, k))
	return slices.Clone(hits[:min(len(hits), k)])
}

// SearchAll finds the k vectors nearest to a query, the nearest first, among all vectors.
func (g *Graph) SearchAll(query []float32, k int) []Hit {
	square := Dot(query, query)
	var far hitHeap
	far.far = true
	for i := range g.Len() {
		h := Hit{uint32(i), g.distanceTo(query, square, uint32(i))}
		if len(far.hits) < k {
			far.push(h)
		} else if k > 0 && h.isBefore(far.hits[0]) {
			far.pop()
			far.push(h)
		}
	}
	slices.SortFunc(far.hits, compareHits)
	return far.hits
}
