package graph

import "fmt"

// EdgeList is a list of edges: pairs of a source and a destination. Read may be called from many goroutines.
type EdgeList interface {
	// Name is what the list is called in messages.
	Name() string
	Len() int64
	// Read reads the len(dst)/2 edges from number first on into dst: source, destination, source, destination.
	Read(dst []int64, first int64) error
}

// EdgePairs contains edges in memory: source, destination, source, destination.
type EdgePairs struct {
	Of     string // what they are called
	Values []int64
}

// Name is what they are called.
func (p EdgePairs) Name() string { return p.Of }

// Len is the number of edges.
func (p EdgePairs) Len() int64 { return int64(len(p.Values) / 2) }

// Read copies edges.
func (p EdgePairs) Read(dst []int64, first int64) error {
	if first < 0 || first > p.Len() || len(dst) > len(p.Values)-2*int(first) {
		return fmt.Errorf("%s: %d edges from %d on, of %d", p.Of, len(dst)/2, first, p.Len())
	}
	copy(dst, p.Values[2*first:])
	return nil
}

// EdgeStream is a list of edges as a part of a relation.
type EdgeStream struct {
	Edges   EdgeList
	Reverse bool // each edge leads from its second node to its first
	NoLoops bool // edges from a node to itself are left out
}

// edgeNodes are the nodes of the edge at the start of pair.
func (s *EdgeStream) edgeNodes(pair []int64) (source, destination uint64) {
	if s.Reverse {
		return uint64(pair[1]), uint64(pair[0])
	}
	return uint64(pair[0]), uint64(pair[1])
}
