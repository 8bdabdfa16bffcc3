package sampling

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// ErrSampling is wrapped by every error of this package.
var ErrSampling = errors.New("sampling neighbourhoods")

// SamplerOptions contains the settings for sampling.
type SamplerOptions struct {
	SeedType int   // node type of the seeds
	Fanouts  []int // for each hop, from the seeds on: the maximum number of in-edges per node and relation; negative: all
	Seed     uint64
}

// NeighborSampler samples neighbourhoods. It is not safe for concurrent use. Samplers with the same graph and options
// draw the same neighbourhoods.
type NeighborSampler struct {
	graph       *graph.Graph
	options     SamplerOptions
	positions   []nodePositions // by type
	start       []int           // by type: first node of the hop
	end         []int           // by type: end of the hop's nodes
	rows        []graph.EdgeRow // rows of the hop's nodes
	edges       []uint64        // edges drawn from the rows
	edgeSources []uint32        // sources of the edges
	chosen      []int
}

// New returns a sampler for a graph.
func New(g *graph.Graph, o SamplerOptions) (*NeighborSampler, error) {
	if o.SeedType < 0 || o.SeedType >= len(g.Types) {
		return nil, fmt.Errorf("%w: seeds of type %d, want one of 0 to %d", ErrSampling, o.SeedType, len(g.Types)-1)
	}
	s := &NeighborSampler{graph: g, options: o, start: make([]int, len(g.Types)), end: make([]int, len(g.Types))}
	for range g.Types {
		s.positions = append(s.positions, newPositions())
	}
	return s, nil
}

// AddSample adds the neighbourhood of a sample to b. It does not share nodes with other samples. Its nodes are
// appended, seed first. Draws depend on sample.
func (s *NeighborSampler) AddSample(b *NeighborBatch, sample uint64, seed uint32) error {
	return s.addSeeds(b, draw.NewRandom(s.options.Seed, sample+1), []uint32{seed})
}

// AddShared adds the joint neighbourhood of several seeds. Each node is contained and sampled once. Draws depend only
// on nodes.
func (s *NeighborSampler) AddShared(b *NeighborBatch, seeds []uint32) error {
	return s.addSeeds(b, draw.NewRandom(s.options.Seed, 0), seeds)
}

func (s *NeighborSampler) addSeeds(b *NeighborBatch, key *draw.Random, seeds []uint32) error {
	for _, v := range seeds {
		if t := s.graph.Types[s.options.SeedType]; int64(v) >= int64(t.Nodes) {
			return fmt.Errorf("%w: seed %d, and the graph has %d nodes of type %s", ErrSampling, v, t.Nodes, t.Name)
		}
	}
	b.markSample()
	for t := range s.positions {
		s.positions[t].clear()
		s.start[t] = len(b.Nodes[t])
	}
	for _, v := range seeds {
		b.Seeds = append(b.Seeds, s.findOrAddNode(b, s.options.SeedType, v))
	}
	base := key.Uint64()
	for hop, fanout := range s.options.Fanouts {
		s.sampleHop(b, draw.NewRandom(base, uint64(hop)), fanout)
	}
	return nil
}

// findOrAddNode returns the position in b of a node. If the node is new, it is added.
func (s *NeighborSampler) findOrAddNode(b *NeighborBatch, nodeType int, node uint32) int64 {
	p, isNew := s.positions[nodeType].findOrAdd(node, len(b.Nodes[nodeType]))
	if isNew {
		b.Nodes[nodeType] = append(b.Nodes[nodeType], node)
	}
	return p
}

// sampleHop samples in-edges of the nodes that the previous hop found.
func (s *NeighborSampler) sampleHop(b *NeighborBatch, key *draw.Random, fanout int) {
	for t, nodes := range b.Nodes {
		s.end[t] = len(nodes)
	}
	for r := range s.graph.Relations {
		s.sampleRelation(b, r, key.Uint64(), fanout)
	}
	copy(s.start, s.end)
}

// sampleRelation samples in-edges of one relation for the nodes of the hop. It performs each step for all nodes before
// the next step. Most time is spent waiting for memory, and within a step the accesses are independent.
func (s *NeighborSampler) sampleRelation(b *NeighborBatch, r int, key uint64, fanout int) {
	csc, of := s.graph.CSC[r], s.graph.Relations[r]
	first, end := s.start[of.Destination], s.end[of.Destination]
	nodes := b.Nodes[of.Destination][first:end]
	s.rows, s.edges = csc.AppendRows(s.rows[:0], nodes), s.edges[:0]
	for i, row := range s.rows {
		n := s.drawEdges(row, key^uint64(nodes[i]), fanout)
		for range n {
			b.Destinations[r] = append(b.Destinations[r], int64(first+i))
		}
	}
	s.edgeSources = csc.AppendSources(s.edgeSources[:0], s.edges)
	for _, from := range s.edgeSources {
		b.Sources[r] = append(b.Sources[r], s.findOrAddNode(b, of.Source, from))
	}
}

// drawEdges appends up to fanout edges of a row and returns their number.
func (s *NeighborSampler) drawEdges(row graph.EdgeRow, key uint64, fanout int) int {
	if fanout < 0 || row.Degree <= fanout {
		for k := range row.Degree {
			s.edges = append(s.edges, row.First+uint64(k))
		}
		return row.Degree
	}
	for _, k := range s.drawNumbers(key, fanout, row.Degree) {
		s.edges = append(s.edges, row.First+uint64(k))
	}
	return fanout
}

// drawNumbers draws k of the numbers below n without replacement, with Floyd's algorithm (Bentley, Floyd 1987).
func (s *NeighborSampler) drawNumbers(key uint64, k, n int) []int {
	random := draw.NewRandom(key, 0)
	chosen := s.chosen[:0]
next:
	for last := n - k; last < n; last++ {
		v := random.IntBelow(last + 1)
		for _, before := range chosen {
			if before == v {
				chosen = append(chosen, last)
				continue next
			}
		}
		chosen = append(chosen, v)
	}
	s.chosen = chosen
	return chosen
}
