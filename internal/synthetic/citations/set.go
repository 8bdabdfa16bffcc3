package citations

import (
	"context"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Seed is that of the embedded graph.
const Seed = 0x63697465_00000001

// The shape of every graph.
const (
	Classes = 24
	Width   = 32 // features of a node
)

// Papers is how many the embedded graph has, and EvalCount how many of them are samples of the benchmark.
const (
	Papers    = 4000
	EvalCount = Papers / 4
)

// validation is the share of papers that are samples; 60 % are for training.
const validation = 0.25

// What is drawn, as a part of the keys.
const (
	ofClasses = iota
	ofCentres
	ofFeatures
	ofEdges
)

// Set is a graph. It may be used from many goroutines.
type Set struct {
	seed    uint64
	scale   int
	classes [][]uint8    // by type, of each node
	members [][][]uint32 // by type and class: its nodes
	centres [Classes][Width]int
}

var _ igbh.DatasetContent = (*Set)(nil)

// New draws the nodes of a graph that is scale times as large as the embedded one. scale is at least 1.
func New(seed uint64, scale int) *Set {
	s := &Set{seed: seed, scale: scale}
	for t, n := range s.Counts() {
		r, classes, members := draw.NewRandom(seed, ofClasses, uint64(t)), make([]uint8, n), make([][]uint32, Classes)
		for i := range classes {
			c := r.Below(Classes)
			if i < Classes {
				c = i // none is empty
			}
			classes[i], members[c] = uint8(c), append(members[c], uint32(i))
		}
		s.classes, s.members = append(s.classes, classes), append(s.members, members)
	}
	r := draw.NewRandom(seed, ofCentres)
	for c := range s.centres {
		for k := range s.centres[c] {
			s.centres[c][k] = bell(r)
		}
	}
	return s
}

// All is the embedded graph.
func All() *Set { return New(Seed, 1) }

// Len is the number of papers.
func (s *Set) Len() int { return s.Counts()[igbh.Paper] }

// Counts are the numbers of nodes.
func (s *Set) Counts() igbh.NodeCounts {
	c := igbh.NodeCounts{igbh.Author: 2600, igbh.Conference: 48, igbh.FieldOfStudy: 240, igbh.Institute: 80,
		igbh.Journal: 48,
		igbh.Paper:   Papers}
	for t := range c {
		c[t] *= s.scale
	}
	return c
}

// Width is the number of features of a node.
func (*Set) Width() int { return Width }

// Label is the class of a paper.
func (s *Set) Label(paper int) int { return int(s.classes[igbh.Paper][paper]) }

// Split is the papers for training and those that are samples.
func (s *Set) Split() (train, samples []uint32) {
	return igbh.DrawSplit(s.Len(), uint32(s.seed), validation)
}

// one is the standard deviation of bell: that of a sum of four numbers of 16 bits, 65536 * sqrt(4/12).
const one = 37837

// bell returns an integer of about a normal distribution with mean 0: the sum of four uniform ones.
func bell(r *draw.Random) int {
	v := r.Uint64()
	return int(v&0xffff+v>>16&0xffff+v>>32&0xffff+v>>48) - 2*0xffff
}

// share is the part of its class's centre in the features of a node, in percent.
func share(nodeType int) int {
	if nodeType == igbh.Paper {
		return 35
	}
	return 17
}

// Features draws those of nodes of a type into dst, Width of each, from node first on: of deviation 1, and the share of
// the centre.
func (s *Set) Features(dst []float32, nodeType, first int) {
	for i := range len(dst) / Width {
		node := first + i
		r := draw.NewRandom(s.seed, ofFeatures, uint64(nodeType), uint64(node))
		centre := &s.centres[s.classes[nodeType][node]]
		for k := range Width {
			dst[i*Width+k] = float32(bell(r)+centre[k]*share(nodeType)/100) * (1.0 / one)
		}
	}
}

// Graph loads the graph as the reader of files does.
func (s *Set) Graph(ctx context.Context) (*graph.Graph, error) {
	return igbh.NewGraph(ctx, s.Counts(), s.Edges())
}
