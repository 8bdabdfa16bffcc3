package sampling

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/internal/draw"
)

// ErrSampling is in the chain of every error of this package.
var ErrSampling = errors.New("sampling neighbourhoods")

// Options say what is drawn.
type Options struct {
	SeedType int   // the type of the nodes that are asked for
	Fanouts  []int // of each hop, the first from the seeds: at most so many in-edges of a node and relation; below 0: all
	Seed     uint64
}

// Sampler draws neighbourhoods. It belongs to one goroutine; others on the same graph draw the same.
type Sampler struct {
	graph   *graph.Graph
	options Options
	known   []positions // by type
	start   []int       // by type: the first node of the hop
	end     []int       // and the first that is not
	chosen  []int
}

// New returns a sampler on a graph.
func New(g *graph.Graph, o Options) (*Sampler, error) {
	if o.SeedType < 0 || o.SeedType >= len(g.Types) {
		return nil, fmt.Errorf("%w: seeds of type %d, want one of 0 to %d", ErrSampling, o.SeedType, len(g.Types)-1)
	}
	s := &Sampler{graph: g, options: o, start: make([]int, len(g.Types)), end: make([]int, len(g.Types))}
	for range g.Types {
		s.known = append(s.known, newPositions())
	}
	return s, nil
}

// Add adds the neighbourhood of one sample to b, whose other samples share no nodes with it: its nodes follow theirs,
// its seed first. Draws are keyed by sample.
func (s *Sampler) Add(b *Batch, sample uint64, seed uint32) error {
	return s.add(b, draw.NewRandom(s.options.Seed, sample+1), []uint32{seed})
}

// AddShared adds the joint neighbourhood of several samples, which shares nodes: a node is sampled once. Draws are
// keyed by nodes alone.
func (s *Sampler) AddShared(b *Batch, seeds []uint32) error {
	return s.add(b, draw.NewRandom(s.options.Seed, 0), seeds)
}

func (s *Sampler) add(b *Batch, key *draw.Random, seeds []uint32) error {
	for _, v := range seeds {
		if t := s.graph.Types[s.options.SeedType]; int64(v) >= int64(t.Nodes) {
			return fmt.Errorf("%w: seed %d, and the graph has %d nodes of type %s", ErrSampling, v, t.Nodes, t.Name)
		}
	}
	b.mark()
	for t := range s.known {
		s.known[t].clear()
		s.start[t] = len(b.Nodes[t])
	}
	for _, v := range seeds {
		b.Seeds = append(b.Seeds, s.position(b, s.options.SeedType, v))
	}
	base := key.Uint64()
	for hop, fanout := range s.options.Fanouts {
		s.hop(b, draw.NewRandom(base, uint64(hop)), fanout)
	}
	return nil
}

// position is where a node of a type is in b, where it is added if it is new.
func (s *Sampler) position(b *Batch, nodeType int, node uint32) int64 {
	p, isNew := s.known[nodeType].find(node, len(b.Nodes[nodeType]))
	if isNew {
		b.Nodes[nodeType] = append(b.Nodes[nodeType], node)
	}
	return p
}

// hop samples the nodes that the last hop found.
func (s *Sampler) hop(b *Batch, key *draw.Random, fanout int) {
	for t, nodes := range b.Nodes {
		s.end[t] = len(nodes)
	}
	for r := range s.graph.Relations {
		s.relation(b, r, key.Uint64(), fanout)
	}
	copy(s.start, s.end)
}

// relation samples in-edges of one relation of the nodes of the hop.
func (s *Sampler) relation(b *Batch, r int, key uint64, fanout int) {
	csc, of := s.graph.CSC[r], s.graph.Relations[r]
	sources, destinations := b.Sources[r], b.Destinations[r]
	for i := s.start[of.Destination]; i < s.end[of.Destination]; i++ {
		node := b.Nodes[of.Destination][i]
		row := csc.Row(node)
		if fanout < 0 || len(row) <= fanout {
			for _, from := range row {
				sources = append(sources, s.position(b, of.Source, from))
				destinations = append(destinations, int64(i))
			}
			continue
		}
		for _, k := range s.choose(key^uint64(node), fanout, len(row)) {
			sources = append(sources, s.position(b, of.Source, row[k]))
			destinations = append(destinations, int64(i))
		}
	}
	b.Sources[r], b.Destinations[r] = sources, destinations
}

// choose draws k of the numbers below n without replacement, by Floyd's algorithm (Bentley, Floyd 1987).
func (s *Sampler) choose(key uint64, k, n int) []int {
	random := draw.NewRandom(key, 0)
	chosen := s.chosen[:0]
next:
	for last := n - k; last < n; last++ {
		v := random.Below(last + 1)
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
