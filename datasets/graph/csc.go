package graph

// baseShift determines the size of the blocks of nodes that share a 64-bit base offset. Offsets relative to the base
// are stored in 32 bits.
const baseShift = 12

// CSC contains the in-edges of a relation. Row v contains the sources of the edges into v, in the order of the input.
type CSC struct {
	bases      []uint64 // offset of the first node of each block of 1 << baseShift nodes
	lowOffsets []uint32 // offset of each node, and of the end, relative to its block's base
	sources    []uint32
}

// newCSC allocates a CSC for the given numbers of nodes and edges.
func newCSC(nodes int, edges uint64) *CSC {
	return &CSC{make([]uint64, baseCount(nodes)), make([]uint32, nodes+1), make([]uint32, edges)}
}

// baseCount returns the number of bases for the nodes, including the end.
func baseCount(nodes int) int { return nodes>>baseShift + 1 }

// Sources returns the sources of the edges into node v, which must be less than NodeCount. The caller must not change
// the result.
func (c *CSC) Sources(v uint32) []uint32 { return c.sources[c.offset(v):c.offset(v+1)] }

// EdgeRow is the range of a node's in-edges in a relation: Degree edges with the numbers First, First+1 ...
type EdgeRow struct {
	First  uint64
	Degree int
}

// AppendRows appends the rows of nodes, which must be less than NodeCount.
func (c *CSC) AppendRows(rows []EdgeRow, nodes []uint32) []EdgeRow {
	for _, v := range nodes {
		first := c.offset(v)
		rows = append(rows, EdgeRow{first, int(c.offset(v+1) - first)})
	}
	return rows
}

// AppendSources appends the sources of edges, given by number.
func (c *CSC) AppendSources(sources []uint32, edges []uint64) []uint32 {
	for _, e := range edges {
		sources = append(sources, c.sources[e])
	}
	return sources
}

// Degree returns the number of edges into node v.
func (c *CSC) Degree(v uint32) int { return int(c.offset(v+1) - c.offset(v)) }

func (c *CSC) offset(v uint32) uint64 { return c.bases[v>>baseShift] + uint64(c.lowOffsets[v]) }

// setOffset sets the offset of node v. Within a block, it must be called in ascending order of nodes. It reports
// whether the offset fits into 32 bits.
func (c *CSC) setOffset(v int, offset uint64) bool {
	block := v >> baseShift
	if v&(1<<baseShift-1) == 0 {
		c.bases[block] = offset
	}
	low := offset - c.bases[block]
	c.lowOffsets[v] = uint32(low)
	return low>>32 == 0
}

// NodeCount returns the number of destinations.
func (c *CSC) NodeCount() int { return len(c.lowOffsets) - 1 }

// EdgeCount returns the number of edges.
func (c *CSC) EdgeCount() uint64 { return uint64(len(c.sources)) }

func (c *CSC) memoryBytes() uint64 {
	return uint64(8*len(c.bases) + 4*len(c.lowOffsets) + 4*len(c.sources))
}

// isValid reports whether offsets ascend from 0 to the number of edges and every source is less than sources.
func (c *CSC) isValid(sources int) bool {
	last := uint64(0)
	for v := range c.lowOffsets {
		offset := c.offset(uint32(v))
		if offset < last || v == 0 && offset != 0 {
			return false
		}
		last = offset
	}
	most := uint32(0)
	for _, s := range c.sources {
		most = max(most, s)
	}
	return last == c.EdgeCount() && (c.EdgeCount() == 0 || uint64(most) < uint64(sources))
}
