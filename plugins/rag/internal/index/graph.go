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
	M              int `json:"M"` // maximum number of links per vector and level; on the lowest level, twice as many
	EFConstruction int `json:"efConstruction"`
	EFSearch       int `json:"efSearch"`
}

// OfficialParams returns the parameters of the reference's database.
func OfficialParams() GraphParams { return GraphParams{M: 32, EFConstruction: 200, EFSearch: 100} }

// ErrVector means that a vector has a wrong dimension or a value that is NaN or infinite.
var ErrVector = errors.New("a vector that the index cannot take")

// Graph is a search index. Search and SearchAll may be called concurrently, but not during Add and LinkLast.
type Graph struct {
	GraphParams
	dim          int
	vectors      []float32 // all vectors, one after the other
	squaredNorms []float32 // squared length of each vector
	links        [][][]uint32
	linked       int // number of vectors that are linked
	entry        uint32
	searchPool   sync.Pool
}

// New returns an empty graph of vectors with dim values. dim must be greater than 0.
func New(dim int, p GraphParams) *Graph { return &Graph{GraphParams: p, dim: dim} }

// Len returns the number of vectors.
func (g *Graph) Len() int { return len(g.squaredNorms) }

// Dim returns the number of values per vector.
func (g *Graph) Dim() int { return g.dim }

// Vector returns vector i. The caller must not change it.
func (g *Graph) Vector(i int) []float32 { return g.vectors[i*g.dim : (i+1)*g.dim : (i+1)*g.dim] }

// Add adds a copy of a vector. It links the vectors of a group when the group is complete.
func (g *Graph) Add(v []float32) error {
	square := Dot(v, v)
	if len(v) != g.dim || math.IsNaN(float64(square)) || math.IsInf(float64(square), 0) {
		return fmt.Errorf("%w: %d values of squared length %v, want %d", ErrVector, len(v), square, g.dim)
	}
	g.vectors = append(g.vectors, v...)
	g.squaredNorms = append(g.squaredNorms, square)
	for g.Len()-g.linked >= groupSize {
		g.linkNext(groupSize)
	}
	return nil
}

// LinkLast links the vectors of the last, incomplete group. Call it after all vectors are added.
func (g *Graph) LinkLast() {
	if n := g.Len() - g.linked; n > 0 {
		g.linkNext(n)
	}
}

// Dot returns the dot product of two vectors of the same length.
func Dot(a, b []float32) float32 { return gonum.Implementation{}.Sdot(len(a), a, 1, b, 1) }

// distanceTo returns the squared distance between vector i and v. squaredNorm is the squared length of v.
func (g *Graph) distanceTo(v []float32, squaredNorm float32, i uint32) float32 {
	return max(0, squaredNorm+g.squaredNorms[i]-2*Dot(v, g.Vector(int(i))))
}

// topLevel returns the highest level of vector i, drawn as in the paper with a random number that depends only on i.
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

// maxLinks returns the maximum number of links of a vector on a level.
func (g *Graph) maxLinks(level int) int {
	if level == 0 {
		return 2 * g.M
	}
	return g.M
}

// Hit is a vector found by a search.
type Hit struct {
	ID       uint32
	Distance float32 // squared distance
}

// isBefore reports whether h is nearer than o, or equally near and added earlier.
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

// Search returns approximately the k vectors nearest to a query, nearest first. The query must have the graph's
// dimension.
func (g *Graph) Search(query []float32, k int) []Hit {
	if g.linked == 0 || k < 1 {
		return nil
	}
	s := g.borrowSearch()
	defer g.searchPool.Put(s)
	s.setQuery(query)
	from := s.descendTo(0)
	hits := s.searchLevel([]Hit{from}, 0, max(g.EFSearch, k))
	return slices.Clone(hits[:min(len(hits), k)])
}

// SearchAll returns the k vectors nearest to a query, nearest first, by comparing it with all vectors.
func (g *Graph) SearchAll(query []float32, k int) []Hit {
	square := Dot(query, query)
	var far hitHeap
	far.farthestFirst = true
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
