package graph

import (
	"context"
	"slices"
)

// NodeType is a type of nodes. Its nodes are numbered from 0.
type NodeType struct {
	Name  string
	Nodes int
}

// Relation is a type of edges. Source and Destination are indices into the graph's node types.
type Relation struct {
	Name                string
	Source, Destination int
}

// Graph is a heterogeneous graph. It must not be changed, and may be used from many goroutines.
type Graph struct {
	Types     []NodeType
	Relations []Relation
	CSC       []*CSC // of each relation

	close func() error
}

// TypeIndex is the position of the node type of that name, or -1.
func (g *Graph) TypeIndex(name string) int {
	return slices.IndexFunc(g.Types, func(t NodeType) bool { return t.Name == name })
}

// RelationIndex is the position of the relation of that name, or -1.
func (g *Graph) RelationIndex(name string) int {
	return slices.IndexFunc(g.Relations, func(r Relation) bool { return r.Name == name })
}

// EdgeCount is the number of edges of all relations.
func (g *Graph) EdgeCount() uint64 {
	n := uint64(0)
	for _, c := range g.CSC {
		n += c.EdgeCount()
	}
	return n
}

// MemoryBytes is the memory that offsets and sources take.
func (g *Graph) MemoryBytes() uint64 {
	n := uint64(0)
	for _, c := range g.CSC {
		n += c.bytes()
	}
	return n
}

// Close ends the use of a graph: one of a cache is unmapped.
func (g *Graph) Close() error {
	if g.close == nil {
		return nil
	}
	closing := g.close
	g.close = nil
	return closing()
}

// FeatureStore contains the features of nodes. Its methods may be called from many goroutines.
type FeatureStore interface {
	// Types are the node types, with the nodes that there are features of. The caller must not change them.
	Types() []NodeType
	// Width is the number of features of every node, of any type.
	Width() int
	// Gather writes the features of nodes of one type (a position among the graph's types) into dst, which has Width
	// values for each, in order. A node that is not there is an error. It returns soon after ctx ends.
	Gather(ctx context.Context, dst []float32, nodeType int, nodes []uint32) error
}
