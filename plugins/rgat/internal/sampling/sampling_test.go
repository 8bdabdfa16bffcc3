package sampling

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// subgraph is a sample in numbers of the graph.
type subgraph struct {
	seeds []uint32
	nodes [][]uint32    // by type
	edges [][][2]uint32 // by relation: source, destination
}

// drawn is a batch without repeated nodes.
func drawn(g *graph.Graph, b *NeighborBatch, seeds []uint32) subgraph {
	s := subgraph{seeds, b.Nodes, make([][][2]uint32, len(g.Relations))}
	for r, rel := range g.Relations {
		for i, from := range b.Sources[r] {
			to := b.Destinations[r][i]
			s.edges[r] = append(s.edges[r], [2]uint32{b.Nodes[rel.Source][from], b.Nodes[rel.Destination][to]})
		}
	}
	return s
}

type node struct {
	nodeType int
	number   uint32
}

// check holds a sample to the rules of spec: numbers of edges, their existence, hops, order and uniqueness of nodes.
func (s subgraph) check(t *testing.T, g *graph.Graph, fanouts []int) {
	t.Helper()
	seedType := g.TypeIndex("paper")
	hops := map[node]int{}
	for i, v := range s.seeds {
		hops[node{seedType, v}] = 0
		if s.nodes[seedType][i] != v {
			t.Errorf("node %d of the seeds' type is %d, want seed %d", i, s.nodes[seedType][i], v)
		}
	}
	for hop := range fanouts {
		for r, rel := range g.Relations {
			for _, e := range s.edges[r] {
				from := node{rel.Source, e[0]}
				if h, ok := hops[node{rel.Destination, e[1]}]; ok && h == hop {
					if _, known := hops[from]; !known {
						hops[from] = hop + 1
					}
				}
			}
		}
	}
	s.checkNodes(t, hops)
	for r, rel := range g.Relations {
		s.checkRelation(t, g.CSC[r], r, func(v uint32) int {
			hop, known := hops[node{rel.Destination, v}]
			if !known || hop == len(fanouts) {
				return 0
			}
			return min(fanouts[hop], g.CSC[r].Degree(v))
		})
	}
}

func (s subgraph) checkNodes(t *testing.T, hops map[node]int) {
	t.Helper()
	seen := map[node]bool{}
	for nodeType, nodes := range s.nodes {
		for _, v := range nodes {
			n := node{nodeType, v}
			if _, found := hops[n]; !found || seen[n] {
				t.Errorf("node %d of type %d is there twice, or no edge leads to it", v, nodeType)
			}
			seen[n] = true
		}
	}
	if len(seen) != len(hops) {
		t.Errorf("%d nodes, and edges of %d", len(seen), len(hops))
	}
}

// checkRelation compares the edges into each node with their number, and each with those that the graph has.
func (s subgraph) checkRelation(t *testing.T, csc *graph.CSC, r int, want func(v uint32) int) {
	t.Helper()
	into := map[uint32]map[uint32]int{}
	for _, e := range s.edges[r] {
		if into[e[1]] == nil {
			into[e[1]] = map[uint32]int{}
		}
		into[e[1]][e[0]]++
	}
	for v := range uint32(csc.NodeCount()) {
		row, total := csc.Sources(v), 0
		for from, n := range into[v] {
			total += n
			if there := count(row, from); n > there {
				t.Errorf("relation %d: %d edges from %d to %d, and the graph has %d", r, n, from, v, there)
			}
		}
		if _, isThere := into[v]; isThere && total != want(v) {
			t.Errorf("relation %d: %d edges into %d, want %d", r, total, v, want(v))
		}
	}
}

func count(row []uint32, v uint32) int {
	n := 0
	for _, u := range row {
		if u == v {
			n++
		}
	}
	return n
}

// made is a graph of papers and authors, with parallel edges.
func made(t testing.TB, papers, authors, edges int) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	g := &graph.Graph{
		Types: []graph.NodeType{{Name: "author", Nodes: authors}, {Name: "paper", Nodes: papers}},
		Relations: []graph.Relation{{Name: "wrote", Source: 0, Destination: 1}, {Name: "cites", Source: 1,
			Destination: 1}, {Name: "by", Source: 1}},
	}
	for _, rel := range g.Relations {
		from, to := g.Types[rel.Source].Nodes, g.Types[rel.Destination].Nodes
		pairs := make([]int64, 2*edges)
		for i := range edges {
			pairs[2*i], pairs[2*i+1] = r.Int64N(int64(from)), r.Int64N(int64(to))
		}
		p := graph.RelationPlan{Name: rel.Name, Sources: from, Destinations: to,
			Streams: []graph.EdgeStream{{Edges: graph.EdgePairs{Values: pairs}}}}
		csc, err := p.BuildCSC(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.CSC = append(g.CSC, csc)
	}
	return g
}

func TestSamplesKeepTheRules(t *testing.T) {
	g := made(t, 300, 90, 4000)
	fanouts := []int{15, 10, 5}
	s, b := sampler(t, g, fanouts...), NewBatch(g)
	for seed := range uint32(20) {
		b.Reset()
		if err := s.AddSample(b, uint64(seed), seed); err != nil {
			t.Fatal(err)
		}
		drawn(g, b, []uint32{seed}).check(t, g, fanouts)
	}
	seeds := []uint32{5, 9, 200}
	b.Reset()
	if err := s.AddShared(b, append(seeds, 9)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.Seeds, []int64{0, 1, 2, 1}) {
		t.Errorf("seeds at %v", b.Seeds)
	}
	drawn(g, b, seeds).check(t, g, fanouts)
}

// TestSamplesDependOnTheirKeysAlone draws with one sampler and with eight at a time, in batches and one by one.
func TestSamplesDependOnTheirKeysAlone(t *testing.T) {
	g := made(t, 2000, 900, 40_000)
	const samples = 64
	one := make([]*NeighborBatch, samples)
	s := sampler(t, g, 15, 10, 5)
	for i := range one {
		one[i] = NewBatch(g)
		if err := s.AddSample(one[i], uint64(i), uint32(i)); err != nil {
			t.Fatal(err)
		}
	}
	var workers sync.WaitGroup
	for worker := range 8 {
		s := sampler(t, g, 15, 10, 5)
		workers.Go(func() {
			joint, last := NewBatch(g), NewBatch(g)
			for i := samples - 1 - worker; i >= 0; i -= 8 {
				if err := s.AddSample(joint, uint64(i), uint32(i)); err != nil {
					t.Error(err)
				}
				nodes := joint.NodeCount()
				joint.MoveLast(last)
				if nodes != joint.NodeCount()+last.NodeCount() || !sameBatch(last, one[i]) {
					t.Errorf("sample %d differs", i)
				}
				if err := s.AddSample(joint, 1, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	other, err := New(g, SamplerOptions{SeedType: 1, Fanouts: []int{15, 10, 5}, Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBatch(g)
	if err := other.AddSample(b, 0, 0); err != nil || sameBatch(b, one[0]) {
		t.Errorf("another seed draws the same: %v", err)
	}
	b.Reset()
	if err := s.AddSample(b, 1, 0); err != nil || sameBatch(b, one[0]) {
		t.Errorf("another sample of the same paper draws the same: %v", err)
	}
}

func sameBatch(a, b *NeighborBatch) bool {
	equal := slices.Equal(a.Seeds, b.Seeds)
	for t := range a.Nodes {
		equal = equal && slices.Equal(a.Nodes[t], b.Nodes[t])
	}
	for r := range a.Sources {
		equal = equal && slices.Equal(a.Sources[r], b.Sources[r]) && slices.Equal(a.Destinations[r], b.Destinations[r])
	}
	return equal
}

// TestDrawsAreUniform counts how often each in-edge comes: within five standard deviations of its share.
func TestDrawsAreUniform(t *testing.T) {
	const degree, fanout, draws = 40, 15, 4000
	pairs := make([]int64, 2*degree)
	for i := range degree {
		pairs[2*i] = int64(i)
	}
	csc, err := graph.RelationPlan{Sources: degree, Destinations: 1,
		Streams: []graph.EdgeStream{{Edges: graph.EdgePairs{Values: pairs}}}}.
		BuildCSC(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &graph.Graph{Types: []graph.NodeType{{Name: "author", Nodes: degree}, {Name: "paper", Nodes: 1}},
		Relations: []graph.Relation{{Name: "r", Source: 0, Destination: 1}}, CSC: []*graph.CSC{csc}}
	s, b, counts := sampler(t, g, fanout), NewBatch(g), make([]int, degree)
	for i := range draws {
		b.Reset()
		if err := s.AddSample(b, uint64(i), 0); err != nil {
			t.Fatal(err)
		}
		for _, from := range b.Nodes[0] {
			counts[from]++
		}
	}
	share := float64(fanout) / degree
	deviation := math.Sqrt(draws * share * (1 - share))
	for i, n := range counts {
		if math.Abs(float64(n)-draws*share) > 5*deviation {
			t.Errorf("edge %d came %d times of %d, want %v", i, n, draws, draws*share)
		}
	}
}

func TestRefusals(t *testing.T) {
	g := made(t, 10, 5, 20)
	if _, err := New(g, SamplerOptions{SeedType: 2}); !errors.Is(err, ErrSampling) {
		t.Errorf("error %v", err)
	}
	b := NewBatch(g)
	if err := sampler(t, g, 1).AddSample(b, 0, 10); !errors.Is(err, ErrSampling) || b.NodeCount() != 0 {
		t.Errorf("error %v", err)
	}
}

func TestPositionsAreEmptiedAtOnce(t *testing.T) {
	p := newPositions()
	p.round = math.MaxUint32
	for round := range 3 {
		want := map[uint32]int64{}
		r := rand.New(rand.NewPCG(uint64(round), 0))
		for i := range 5000 {
			v := r.Uint32N(3000)
			got, isNew := p.findOrAdd(v, i)
			if before, known := want[v]; known == isNew || known && before != got {
				t.Fatalf("node %d at %d, new %v; it was at %d", v, got, isNew, before)
			}
			want[v] = got
		}
		p.clear()
	}
	if reflect.DeepEqual(p, newPositions()) {
		t.Error("memory was not kept")
	}
}

// BenchmarkAdd draws neighbourhoods of 15, 10 and 5 in-edges.
func BenchmarkAdd(b *testing.B) {
	g := made(b, 200_000, 200_000, 2_000_000)
	s, batch := sampler(b, g, 15, 10, 5), NewBatch(g)
	b.ReportAllocs()
	nodes := 0
	for i := 0; b.Loop(); i++ {
		batch.Reset()
		if err := s.AddSample(batch, uint64(i), uint32(i*7919%200_000)); err != nil {
			b.Fatal(err)
		}
		nodes += batch.NodeCount()
	}
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}
