package citations

import (
	"context"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Seed is the seed of the embedded graph.
const Seed = 0x63697465_00000001

// The number of classes and features in every graph.
const (
	Classes = 24
	Width   = 32 // features of a node
)

// Papers is the number of papers of the embedded graph, and EvalCount the number of them that are samples of the
// benchmark.
const (
	Papers    = 4000
	EvalCount = Papers / 4
)

// validation is the share of papers that are samples. 60 % of the papers are for training.
const validation = 0.25

// Kinds of drawn values, as parts of the random generators' keys.
const (
	drawClasses = iota
	drawCentres
	drawFeatures
	drawEdgeKeys
)

// Set is a graph. It is safe for concurrent use.
type Set struct {
	seed    uint64
	scale   int          // by type: the class of each node
	classes [][]uint8    // by type and class: the nodes
	members [][][]uint32 // by type and class: its nodes
	centres [Classes][Width]int
}

var _ igbh.DatasetContent = (*Set)(nil)

// New draws the nodes of a graph that is scale times as large as the embedded one. scale must be at least 1.
func New(seed uint64, scale int) *Set {
	s := &Set{seed: seed, scale: scale}
	for t, n := range s.Counts() {
		r, classes, members := draw.NewRandom(seed, drawClasses, uint64(t)), make([]uint8, n), make([][]uint32, Classes)
		for i := range classes {
			c := r.IntBelow(Classes)
			if i < Classes {
				c = i // every class has a node
			}
			classes[i], members[c] = uint8(c), append(members[c], uint32(i))
		}
		s.classes, s.members = append(s.classes, classes), append(s.members, members)
	}
	r := draw.NewRandom(seed, drawCentres)
	for c := range s.centres {
		for k := range s.centres[c] {
			s.centres[c][k] = bell(r)
		}
	}
	return s
}

// All returns the embedded graph.
func All() *Set { return New(Seed, 1) }

// Len returns the number of papers.
func (s *Set) Len() int { return s.Counts()[igbh.Paper] }

// Counts returns the numbers of nodes by type.
func (s *Set) Counts() igbh.NodeCounts {
	c := igbh.NodeCounts{igbh.Author: 2600, igbh.Conference: 48, igbh.FieldOfStudy: 240, igbh.Institute: 80,
		igbh.Journal: 48,
		igbh.Paper:   Papers}
	for t := range c {
		c[t] *= s.scale
	}
	return c
}

// Width returns the number of features of a node.
func (*Set) Width() int { return Width }

// Label returns the class of a paper.
func (s *Set) Label(paper int) int { return int(s.classes[igbh.Paper][paper]) }

// Split returns the papers for training and the papers that are samples.
func (s *Set) Split() (train, samples []uint32) {
	return igbh.DrawSplit(s.Len(), uint32(s.seed), validation)
}

// bellDeviation is the standard deviation of bell, the sum of four 16-bit numbers: 65536 * sqrt(4/12).
const bellDeviation = 37837

// bell returns an approximately normal integer with mean 0: the sum of four uniform numbers.
func bell(r *draw.Random) int {
	v := r.Uint64()
	return int(v&0xffff+v>>16&0xffff+v>>32&0xffff+v>>48) - 2*0xffff
}

// centrePercent returns the percentage of its class's centre in the features of a node.
func centrePercent(nodeType int) int {
	if nodeType == igbh.Paper {
		return 35
	}
	return 17
}

// Features draws the features of nodes of a type into dst, Width per node, beginning with node first. They are noise
// with deviation 1 plus the share of the class's centre.
func (s *Set) Features(dst []float32, nodeType, first int) {
	for i := range len(dst) / Width {
		node := first + i
		r := draw.NewRandom(s.seed, drawFeatures, uint64(nodeType), uint64(node))
		centre := &s.centres[s.classes[nodeType][node]]
		for k := range Width {
			dst[i*Width+k] = float32(bell(r)+centre[k]*centrePercent(nodeType)/100) * (1.0 / bellDeviation)
		}
	}
}

// Graph loads the graph in the same way as the reader of files.
func (s *Set) Graph(ctx context.Context) (*graph.Graph, error) {
	return igbh.NewGraph(ctx, s.Counts(), s.Edges())
}
