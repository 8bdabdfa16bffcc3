package sampling

import "github.com/plumbline-ml/plumbline/datasets/graph"

// NeighborBatch contains sampled neighbourhoods: the nodes of each type of a graph, and the edges between them. Edges
// refer to positions of nodes in the batch.
type NeighborBatch struct {
	Nodes        [][]uint32 // by type: numbers of the nodes in the graph
	Sources      [][]int64  // by relation: for each edge, the position among the nodes of its source type
	Destinations [][]int64  // by relation: for each edge, the position among the nodes of its destination type
	Seeds        []int64    // positions of the seeds among the nodes of their type

	relations  []graph.Relation
	lastSample batchMark // start of the last sample
}

// batchMark is a position in a batch.
type batchMark struct {
	nodes, edges []int
	seeds        int
}

// NewBatch returns an empty batch for neighbourhoods in g.
func NewBatch(g *graph.Graph) *NeighborBatch {
	types, relations := len(g.Types), len(g.Relations)
	return &NeighborBatch{
		Nodes: make([][]uint32, types), Sources: make([][]int64, relations), Destinations: make([][]int64, relations),
		relations: g.Relations, lastSample: batchMark{make([]int, types), make([]int, relations), 0},
	}
}

// Reset empties the batch but keeps its memory.
func (b *NeighborBatch) Reset() {
	for t := range b.Nodes {
		b.Nodes[t] = b.Nodes[t][:0]
	}
	for r := range b.Sources {
		b.Sources[r], b.Destinations[r] = b.Sources[r][:0], b.Destinations[r][:0]
	}
	b.Seeds = b.Seeds[:0]
	b.markSample()
}

// NodeCount returns the number of nodes of all types.
func (b *NeighborBatch) NodeCount() int {
	n := 0
	for _, nodes := range b.Nodes {
		n += len(nodes)
	}
	return n
}

// EdgeCount returns the number of edges of all relations.
func (b *NeighborBatch) EdgeCount() int {
	n := 0
	for _, edges := range b.Sources {
		n += len(edges)
	}
	return n
}

// markSample starts a new last sample at the end of the batch.
func (b *NeighborBatch) markSample() {
	for t, nodes := range b.Nodes {
		b.lastSample.nodes[t] = len(nodes)
	}
	for r, edges := range b.Sources {
		b.lastSample.edges[r] = len(edges)
	}
	b.lastSample.seeds = len(b.Seeds)
}

// MoveLast moves the last sample to the batch to, which belongs to the same graph and becomes the sample's only batch.
func (b *NeighborBatch) MoveLast(to *NeighborBatch) {
	to.Reset()
	for r := range b.Sources {
		start, types := b.lastSample.edges[r], b.relations[r]
		to.Sources[r] = appendRelative(to.Sources[r], b.Sources[r][start:], b.lastSample.nodes[types.Source])
		to.Destinations[r] = appendRelative(to.Destinations[r], b.Destinations[r][start:],
			b.lastSample.nodes[types.Destination])
		b.Sources[r], b.Destinations[r] = b.Sources[r][:start], b.Destinations[r][:start]
	}
	for t, nodes := range b.Nodes {
		to.Nodes[t] = append(to.Nodes[t], nodes[b.lastSample.nodes[t]:]...)
		b.Nodes[t] = nodes[:b.lastSample.nodes[t]]
	}
	for range b.Seeds[b.lastSample.seeds:] {
		to.Seeds = append(to.Seeds, 0) // the seed is the first node of its sample
	}
	b.Seeds = b.Seeds[:b.lastSample.seeds]
}

// appendRelative appends positions relative to start.
func appendRelative(dst, positions []int64, start int) []int64 {
	for _, p := range positions {
		dst = append(dst, p-int64(start))
	}
	return dst
}
