package index

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// cloud draws n vectors of length 1 in clusters, as those of passages of one page lie near one another.
func cloud(seed uint64, n, dim int) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([][]float32, n)
	var centre []float64
	for i := range all {
		if i%40 == 0 {
			centre = make([]float64, dim)
			for k := range centre {
				centre[k] = r.NormFloat64()
			}
		}
		v, square := make([]float32, dim), 0.0
		for k := range v {
			x := centre[k] + r.NormFloat64()
			v[k] = float32(x)
			square += x * x
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(square))
		}
		all[i] = v
	}
	return all
}

func build(t testing.TB, vectors [][]float32, p GraphParams) *Graph {
	t.Helper()
	dim := 4
	if len(vectors) > 0 {
		dim = len(vectors[0])
	}
	g := New(dim, p)
	for _, v := range vectors {
		if err := g.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	g.LinkLast()
	return g
}

// recall is the share of the ten nearest vectors that are found.
func recall(g *Graph, queries [][]float32) float64 {
	const k = 10
	found := 0
	for _, q := range queries {
		want := g.SearchAll(q, k)
		for _, h := range g.Search(q, k) {
			if slices.ContainsFunc(want, func(w Hit) bool { return w.ID == h.ID }) {
				found++
			}
		}
	}
	return float64(found) / float64(k*len(queries))
}

func TestRecall(t *testing.T) {
	const dim = 32
	g := build(t, cloud(1, 4000, dim), OfficialParams())
	if got := recall(g, cloud(2, 80, dim)); got < 0.99 {
		t.Errorf("recall %v of queries from elsewhere", got)
	}
	for i := 0; i < g.Len(); i += 97 { // each finds itself
		if hits := g.Search(g.Vector(i), 1); len(hits) != 1 || hits[0].ID != uint32(i) {
			t.Errorf("vector %d: %v", i, hits)
		}
	}
}

// TestLinksMatter: a graph of few links that are looked at little finds less.
func TestLinksMatter(t *testing.T) {
	const dim = 32
	vectors, queries := cloud(1, 2000, dim), cloud(2, 80, dim)
	poor := recall(build(t, vectors, GraphParams{M: 2, EFConstruction: 2, EFSearch: 10}), queries)
	if good := recall(build(t, vectors, OfficialParams()), queries); poor > 0.9*good {
		t.Errorf("recall %v with two links, %v with 32", poor, good)
	}
}

func TestExact(t *testing.T) {
	vectors := cloud(3, 300, 8)
	g := build(t, vectors, OfficialParams())
	query := cloud(4, 1, 8)[0]
	var want []Hit
	for i, v := range vectors {
		d := 0.0
		for k := range v {
			d += float64(v[k]-query[k]) * float64(v[k]-query[k])
		}
		want = append(want, Hit{uint32(i), float32(d)})
	}
	slices.SortFunc(want, compareHits)
	for i, h := range g.SearchAll(query, 12) {
		if h.ID != want[i].ID || math.Abs(float64(h.Distance-want[i].Distance)) > 1e-5 {
			t.Errorf("%d: %v, want %v", i, h, want[i])
		}
	}
}

// TestSameGraph: whoever adds the same vectors has the same graph, and its shape is that of the paper.
func TestSameGraph(t *testing.T) {
	vectors := cloud(5, 1500, 16)
	p := GraphParams{M: 4, EFConstruction: 30, EFSearch: 20}
	g := build(t, vectors, p)
	if other := build(t, vectors, p); !reflect.DeepEqual(g.links, other.links) || g.entry != other.entry {
		t.Error("two graphs of the same vectors differ")
	}
	above := 0
	for i, levels := range g.links {
		for l, links := range levels {
			if len(links) > g.maxLinks(l) || l > 0 && len(links) > 4 || slices.Contains(links, uint32(i)) {
				t.Fatalf("vector %d, level %d: links %v", i, l, links)
			}
			for _, to := range links {
				if len(g.links[to]) <= l {
					t.Fatalf("vector %d, level %d is linked to %d, which is not there", i, l, to)
				}
			}
		}
		if len(levels) > 1 {
			above++
		}
	}
	if above < 1500/4/2 || above > 1500/4*2 {
		t.Errorf("%d of 1500 vectors are above the lowest level, want about a quarter", above)
	}
}

func TestSmall(t *testing.T) {
	g := New(2, OfficialParams())
	if g.LinkLast(); g.Search([]float32{1, 0}, 3) != nil || len(g.SearchAll([]float32{1, 0}, 3)) != 0 {
		t.Error("an empty graph finds something")
	}
	for _, v := range [][]float32{{1}, {1, 2, 3}, {float32(math.NaN()), 0}, {float32(math.Inf(1)), 0}} {
		if err := g.Add(v); !errors.Is(err, ErrVector) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := errors.Join(g.Add([]float32{0, 1}), g.Add([]float32{0, 1}), g.Add([]float32{1, 0})); err != nil {
		t.Fatal(err)
	}
	g.LinkLast()
	if got, want := g.Search([]float32{0, 1}, 9), []Hit{{0, 0}, {1, 0}, {2, 2}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
