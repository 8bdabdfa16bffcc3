package sampling

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// linked is a graph of papers and authors with these edges by relation: source, destination.
func linked(t *testing.T, wrote, cites [][2]int64) *graph.Graph {
	t.Helper()
	g := &graph.Graph{
		Types:     []graph.NodeType{{Name: "author", Nodes: 3}, {Name: "paper", Nodes: 6}},
		Relations: []graph.Relation{{Name: "wrote", Source: 0, Destination: 1}, {Name: "cites", Source: 1, Destination: 1}},
	}
	for r, edges := range [][][2]int64{wrote, cites} {
		var pairs []int64
		for _, e := range edges {
			pairs = append(pairs, e[0], e[1])
		}
		p := graph.RelationPlan{Sources: g.Types[g.Relations[r].Source].Nodes, Destinations: 6,
			Streams: []graph.EdgeStream{{Edges: graph.EdgePairs{Values: pairs}}}}
		csc, err := p.BuildCSC(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.CSC = append(g.CSC, csc)
	}
	return g
}

// exact is how likely each neighbourhood of seeds is where each node and relation of a hop draws its in-edges uniformly
// without replacement, and independently of all others: every way to draw them is gone through.
type exact struct {
	graph   *graph.Graph
	fanouts []int
	chances map[string]float64
}

func (x *exact) hop(hop int, fresh, known []node, edges []string, chance float64) {
	if hop == len(x.fanouts) {
		x.chances[outcome(edges)] += chance
		return
	}
	x.relation(hop, fresh, 0, nil, known, edges, chance)
}

// relation goes through what the nodes of a hop, one for each relation that ends in its type, may draw.
func (x *exact) relation(hop int, fresh []node, next int, found, known []node, edges []string, chance float64) {
	if next == len(fresh)*len(x.graph.Relations) {
		x.hop(hop+1, found, known, edges, chance)
		return
	}
	at, r := fresh[next/len(x.graph.Relations)], next%len(x.graph.Relations)
	of := x.graph.Relations[r]
	if of.Destination != at.nodeType {
		x.relation(hop, fresh, next+1, found, known, edges, chance)
		return
	}
	row := x.graph.CSC[r].Sources(at.number)
	ways := subsets(len(row), min(len(row), x.fanouts[hop]))
	for _, way := range ways {
		nowFound, nowKnown, nowEdges := slices.Clone(found), slices.Clone(known), slices.Clone(edges)
		for _, k := range way {
			from := node{of.Source, row[k]}
			nowEdges = append(nowEdges, edge(r, row[k], at.number))
			if !slices.Contains(nowKnown, from) {
				nowFound, nowKnown = append(nowFound, from), append(nowKnown, from)
			}
		}
		x.relation(hop, fresh, next+1, nowFound, nowKnown, nowEdges, chance/float64(len(ways)))
	}
}

// subsets are all sets of k of the numbers below n.
func subsets(n, k int) (all [][]int) {
	if k == 0 {
		return [][]int{nil}
	}
	for last := k - 1; last < n; last++ {
		for _, s := range subsets(last, k-1) {
			all = append(all, append(slices.Clone(s), last))
		}
	}
	return all
}

func edge(relation int, from, to uint32) string { return fmt.Sprintf("%d:%d>%d", relation, from, to) }

func outcome(edges []string) string {
	return strings.Join(slices.Sorted(slices.Values(edges)), " ")
}

// TestNeighbourhoodsAreAsLikelyAsComputed compares how often whole neighbourhoods of two hops come with their exact
// chances, by the chi-squared test: of many samples of one run, and of samples that share nodes, in many runs.
func TestNeighbourhoodsAreAsLikelyAsComputed(t *testing.T) {
	g := linked(t,
		[][2]int64{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 2}, {2, 2}, {0, 3}, {0, 4}, {1, 4}},
		[][2]int64{{1, 0}, {2, 0}, {3, 0}, {3, 0}, {0, 1}, {4, 1}, {1, 2}, {5, 3}, {4, 3}, {2, 4}, {2, 5}, {0, 5}})
	fanouts := []int{2, 1}
	const draws = 60_000
	for name, c := range map[string]struct {
		seeds []uint32
		add   func(b *NeighborBatch, i int) error
	}{
		"samples of a run": {[]uint32{0}, func() func(*NeighborBatch, int) error {
			s := sampler(t, g, fanouts...)
			return func(b *NeighborBatch, i int) error { return s.AddSample(b, uint64(i), 0) }
		}()},
		"runs with shared nodes": {[]uint32{1, 3}, func(b *NeighborBatch, i int) error {
			s, err := New(g, SamplerOptions{SeedType: 1, Fanouts: fanouts, Seed: uint64(i)})
			if err != nil {
				return err
			}
			return s.AddShared(b, []uint32{1, 3})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := exact{g, fanouts, map[string]float64{}}
			var fresh []node
			for _, v := range c.seeds {
				fresh = append(fresh, node{1, v})
			}
			x.hop(0, fresh, slices.Clone(fresh), nil, 1)
			counts, b := map[string]int{}, NewBatch(g)
			for i := range draws {
				b.Reset()
				if err := c.add(b, i); err != nil {
					t.Fatal(err)
				}
				var edges []string
				for r, list := range drawn(g, b, c.seeds).edges {
					for _, e := range list {
						edges = append(edges, edge(r, e[0], e[1]))
					}
				}
				counts[outcome(edges)]++
			}
			x.compare(t, counts, draws)
		})
	}
}

// compare wants the chi-squared statistic within five standard deviations, and no neighbourhood that cannot be.
func (x *exact) compare(t *testing.T, counts map[string]int, draws int) {
	t.Helper()
	sum, square, kinds, rare, rareCount := 0.0, 0.0, 0, 0.0, 0
	add := func(want float64, got int) {
		square += (float64(got) - want) * (float64(got) - want) / want
		kinds++
	}
	for o, chance := range x.chances {
		sum += chance
		if want := chance * float64(draws); want >= 10 {
			add(want, counts[o])
		} else {
			rare, rareCount = rare+want, rareCount+counts[o]
		}
		delete(counts, o)
	}
	if rare > 0 {
		add(rare, rareCount)
	}
	if len(counts) > 0 {
		t.Errorf("neighbourhoods that cannot be: %v", counts)
	}
	free := float64(kinds - 1)
	t.Logf("%d neighbourhoods, chi-squared %.1f with %d degrees of freedom", len(x.chances), square, kinds-1)
	if math.Abs(sum-1) > 1e-9 || kinds < 20 || math.Abs(square-free) > 5*math.Sqrt(2*free) {
		t.Errorf("chances add up to %v, chi-squared %v with %v degrees of freedom", sum, square, free)
	}
}
