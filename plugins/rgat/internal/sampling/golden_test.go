package sampling

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func openGraph(t *testing.T, dir string) *graph.Graph {
	t.Helper()
	s, err := igbh.Open(t.Context(), filepath.Join(dir, "igbh"), igbh.GraphOptions{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.Graph()
}

func sampler(t testing.TB, g *graph.Graph, fanouts ...int) *NeighborSampler {
	t.Helper()
	s, err := New(g, SamplerOptions{SeedType: g.TypeIndex("paper"), Fanouts: fanouts, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// block is one message graph of the reference.
type block struct {
	SourceNodes      map[string][]uint32    `json:"src_nodes"`
	DestinationNodes map[string][]uint32    `json:"dst_nodes"`
	Edges            map[string][2][]uint32 // sources, destinations: numbers in the graph
}

// TestGoldenReferenceSamples holds the reference's own samples to what samples are held to here.
func TestGoldenReferenceSamples(t *testing.T) {
	golden.Each(t, "graph/*/sampled/*/subgraph.json", func(t *testing.T, path string) {
		var want struct {
			Fanouts []int `json:"fan_out_by_hop"`
			Seeds   []uint32
			Blocks  []block
		}
		golden.ReadJSON(t, path, &want)
		g := openGraph(t, filepath.Dir(filepath.Dir(filepath.Dir(path))))
		all := want.Blocks[0]
		s := subgraph{seeds: want.Seeds, nodes: make([][]uint32, len(g.Types)), edges: make([][][2]uint32, len(g.Relations))}
		for i, nodeType := range g.Types {
			s.nodes[i] = all.SourceNodes[nodeType.Name]
		}
		for r, relation := range g.Relations {
			ends := all.Edges[relation.Name]
			for i := range ends[0] {
				s.edges[r] = append(s.edges[r], [2]uint32{ends[0][i], ends[1][i]})
			}
		}
		s.check(t, g, want.Fanouts)
	})
}

// TestGoldenSampler draws what the reference drew, and holds it to the same.
func TestGoldenSampler(t *testing.T) {
	golden.Each(t, "graph/*/sampled/*/subgraph.json", func(t *testing.T, path string) {
		var want struct {
			Fanouts []int `json:"fan_out_by_hop"`
			Seeds   []uint32
		}
		golden.ReadJSON(t, path, &want)
		g := openGraph(t, filepath.Dir(filepath.Dir(filepath.Dir(path))))
		s, b := sampler(t, g, want.Fanouts...), NewBatch(g)
		if err := s.AddShared(b, want.Seeds); err != nil {
			t.Fatal(err)
		}
		drawn(g, b, want.Seeds).check(t, g, want.Fanouts)
		for i, seed := range want.Seeds {
			b.Reset()
			if err := s.AddSample(b, uint64(i), seed); err != nil {
				t.Fatal(err)
			}
			drawn(g, b, want.Seeds[i:i+1]).check(t, g, want.Fanouts)
		}
	})
}

func TestGoldenHopCounts(t *testing.T) {
	golden.Each(t, "graph/*/sampled/hop1_counts.json", func(t *testing.T, path string) {
		var want struct {
			Seeds    []uint32
			InDegree map[string][]int            `json:"in_degree"`
			Caps     map[string]map[string][]int // by fan-out and relation
		}
		golden.ReadJSON(t, path, &want)
		g := openGraph(t, filepath.Dir(filepath.Dir(path)))
		for fanout, counts := range want.Caps {
			s, b := sampler(t, g, atoi(t, fanout)), NewBatch(g)
			for i, seed := range want.Seeds {
				b.Reset()
				if err := s.AddSample(b, uint64(i), seed); err != nil {
					t.Fatal(err)
				}
				for name, n := range counts {
					if got := len(b.Sources[g.RelationIndex(name)]); got != n[i] {
						t.Errorf("fan-out %s, paper %d, %s: %d edges, want %d", fanout, seed, name, got, n[i])
					}
				}
			}
		}
	})
}

// TestGoldenFullNeighbourhoods has no limits: the numbers of nodes and edges are the reference's.
func TestGoldenFullNeighbourhoods(t *testing.T) {
	golden.Each(t, "graph/*/full/expected.json", func(t *testing.T, path string) {
		var want struct {
			Single []struct {
				Seed   uint32
				Blocks []struct {
					SourceNodes map[string]int `json:"src_nodes"`
					Edges       map[string]int
				}
			}
		}
		golden.ReadJSON(t, path, &want)
		g := openGraph(t, filepath.Dir(filepath.Dir(path)))
		for _, single := range want.Single {
			for i, blk := range single.Blocks {
				fanouts := slices.Repeat([]int{-1}, len(single.Blocks)-i)
				for _, large := range []bool{false, true} {
					if large { // a limit that no degree reaches
						fanouts = slices.Repeat([]int{1 << 20}, len(fanouts))
					}
					b := NewBatch(g)
					if err := sampler(t, g, fanouts...).AddSample(b, 0, single.Seed); err != nil {
						t.Fatal(err)
					}
					checkCounts(t, g, b, blk.SourceNodes, blk.Edges)
				}
			}
		}
	})
}

func checkCounts(t *testing.T, g *graph.Graph, b *NeighborBatch, nodes, edges map[string]int) {
	t.Helper()
	for i, nodeType := range g.Types {
		if len(b.Nodes[i]) != nodes[nodeType.Name] {
			t.Errorf("%d nodes of type %s, want %d", len(b.Nodes[i]), nodeType.Name, nodes[nodeType.Name])
		}
	}
	for r, relation := range g.Relations {
		if len(b.Sources[r]) != edges[relation.Name] {
			t.Errorf("%d edges of %s, want %d", len(b.Sources[r]), relation.Name, edges[relation.Name])
		}
	}
}
