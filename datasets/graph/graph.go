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
	CSC       []*CSC // one per relation

	close func() error
}

// TypeIndex returns the index of the node type with the given name, or -1.
func (g *Graph) TypeIndex(name string) int {
	return slices.IndexFunc(g.Types, func(t NodeType) bool { return t.Name == name })
}

// RelationIndex returns the index of the relation with the given name, or -1.
func (g *Graph) RelationIndex(name string) int {
	return slices.IndexFunc(g.Relations, func(r Relation) bool { return r.Name == name })
}

// EdgeCount returns the total number of edges of all relations.
func (g *Graph) EdgeCount() uint64 {
	n := uint64(0)
	for _, c := range g.CSC {
		n += c.EdgeCount()
	}
	return n
}

// MemoryBytes returns the memory used by offsets and sources.
func (g *Graph) MemoryBytes() uint64 {
	n := uint64(0)
	for _, c := range g.CSC {
		n += c.memoryBytes()
	}
	return n
}

// Close releases the graph. It unmaps a cache file.
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
	// Types returns the node types with the numbers of nodes that have features. The caller must not change them.
	Types() []NodeType
	// Width returns the number of features per node, which is the same for all types.
	Width() int
	// Gather copies the features of nodes into dst, in order, Width values per node. All nodes have the type with index
	// nodeType. An unknown node is an error. Gather returns soon after ctx ends.
	Gather(ctx context.Context, dst []float32, nodeType int, nodes []uint32) error
}
