package graph

import "fmt"

// EdgeList is a list of edges, which are pairs of a source and a destination. Read may be called from several
// goroutines.
type EdgeList interface {
	// Name returns the list's name for messages.
	Name() string
	Len() int64
	// Read reads len(dst)/2 edges, starting with number first, into dst: source, destination, source, destination ...
	Read(dst []int64, first int64) error
}

// EdgePairs contains edges in memory: source, destination, source, destination ...
type EdgePairs struct {
	ListName string // name for messages
	Values   []int64
}

// Name returns the list's name.
func (p EdgePairs) Name() string { return p.ListName }

// Len returns the number of edges.
func (p EdgePairs) Len() int64 { return int64(len(p.Values) / 2) }

// Read copies the edges from number first on into dst.
func (p EdgePairs) Read(dst []int64, first int64) error {
	if first < 0 || first > p.Len() || len(dst) > len(p.Values)-2*int(first) {
		return fmt.Errorf("%s: %d edges from %d on, of %d", p.ListName, len(dst)/2, first, p.Len())
	}
	copy(dst, p.Values[2*first:])
	return nil
}

// EdgeStream is an edge list that contributes to a relation.
type EdgeStream struct {
	Edges   EdgeList
	Reverse bool // swap the source and the destination of each edge
	NoLoops bool // skip edges from a node to itself
}

// edgeNodes returns the nodes of the edge at the start of pair.
func (s *EdgeStream) edgeNodes(pair []int64) (source, destination uint64) {
	if s.Reverse {
		return uint64(pair[1]), uint64(pair[0])
	}
	return uint64(pair[0]), uint64(pair[1])
}
