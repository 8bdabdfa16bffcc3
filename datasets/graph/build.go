package graph

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// ErrEdges is wrapped by every error about edges.
var ErrEdges = errors.New("edges of a graph")

// FaultError contains all faults of a relation's edges; errors.As finds it.
type FaultError = fault.DatasetError

// RelationPlan lists the edges from which a relation is built.
type RelationPlan struct {
	Name                  string
	Sources, Destinations int // numbers of nodes
	Streams               []EdgeStream
	// Loops adds an edge from each node to itself at the end of its row. Sources and destinations must then be of the same
	// type.
	Loops bool
}

// maxNodes is the largest number of nodes that uint32 can number, including the index after the last one.
const maxNodes = 1<<32 - 2

// BuildCSC builds the CSC of a relation on all processors. Rows keep the order of the streams and of the edges in them.
// The build needs 8 additional bytes per edge. The error is a [*FaultError] that wraps ErrEdges and lists edges with
// invalid nodes, or ctx's error.
func (p RelationPlan) BuildCSC(ctx context.Context) (*CSC, error) {
	if p.Sources < 0 || p.Destinations < 0 || p.Sources > maxNodes || p.Destinations > maxNodes ||
		p.Loops && p.Sources != p.Destinations {
		return nil, fmt.Errorf("%w: %s: %d sources and %d destinations, want at most %d, and as many with loops",
			ErrEdges, p.Name,
			p.Sources, p.Destinations, maxNodes)
	}
	b := newCSCBuilder(&p)
	b.eachChunk(ctx, b.countEdges)
	if err := b.err(ctx); err != nil {
		return nil, err
	}
	edges := b.placeBuckets()
	b.eachChunk(ctx, b.scatterEdges)
	if err := b.err(ctx); err != nil {
		return nil, err
	}
	return b.makeRows(ctx, edges)
}

// chunkEdges is the number of edges that one goroutine counts or scatters; pieceEdges is the number of edges per read.
const (
	chunkEdges = 1 << 20
	pieceEdges = 1 << 15
)

// streamChunk is a part of a stream.
type streamChunk struct {
	stream *EdgeStream
	first  int64
	n      int64
	next   []uint64 // per bucket: first the number of the chunk's edges, then the index for the next edge
}

// cscBuilder builds a CSC in two steps. It scatters edges into buckets by ranges of destinations, and then sorts each
// bucket, which fits into a processor's cache, into rows.
type cscBuilder struct {
	plan      *RelationPlan
	shift     int // a bucket covers 1 << shift destinations
	buckets   int
	starts    []uint64 // starts of the buckets, and the end of the last one
	chunks    []streamChunk
	scattered []uint64 // destination << 32 | source, bucket by bucket
	buffers   sync.Pool
	faults    fault.FaultList
}

// maxBuckets limits the number of memory regions that are written alternately.
const maxBuckets = 512

func newCSCBuilder(p *RelationPlan) *cscBuilder {
	b := &cscBuilder{plan: p, shift: max(baseShift, bits.Len(uint(p.Destinations))-bits.Len(maxBuckets-1))}
	b.buckets = max(1, (p.Destinations+1<<b.shift-1)>>b.shift)
	b.starts = make([]uint64, b.buckets+1)
	for i := range p.Streams {
		s := &p.Streams[i]
		for first := int64(0); first < s.Edges.Len(); first += chunkEdges {
			n := min(chunkEdges, s.Edges.Len()-first)
			b.chunks = append(b.chunks, streamChunk{s, first, n, make([]uint64, b.buckets)})
		}
	}
	return b
}

func (b *cscBuilder) err(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.faults.Err(ErrEdges, b.plan.Name)
}

// eachChunk reads all chunks on all processors and calls visit with the pieces of each chunk, in order.
func (b *cscBuilder) eachChunk(ctx context.Context, visit func(c *streamChunk, first int64, pairs []int64)) {
	parallel.Each(ctx, len(b.chunks), func(i int) {
		c := &b.chunks[i]
		room, _ := b.buffers.Get().(*[]int64)
		if room == nil {
			memory := make([]int64, 2*pieceEdges)
			room = &memory
		}
		defer b.buffers.Put(room)
		for first, end := c.first, c.first+c.n; first < end; first += pieceEdges {
			pairs := (*room)[:2*min(pieceEdges, end-first)]
			if err := c.stream.Edges.Read(pairs, first); err != nil {
				b.faults.Addf(c.stream.Edges.Name(), "edges from %d on: %v", first, err)
				return
			}
			visit(c, first, pairs)
		}
	})
}

// countEdges counts a chunk's edges by bucket and reports edges with invalid nodes.
func (b *cscBuilder) countEdges(c *streamChunk, first int64, pairs []int64) {
	sources, destinations := uint64(b.plan.Sources), uint64(b.plan.Destinations)
	for i := 0; i+1 < len(pairs); i += 2 {
		s, d := c.stream.edgeNodes(pairs[i : i+2 : i+2])
		if s >= sources || d >= destinations {
			b.faults.Addf(fmt.Sprintf("%s, edge %d", c.stream.Edges.Name(), first+int64(i/2)),
				"from node %d to node %d, want nodes below %d and %d", int64(s), int64(d), sources, destinations)
			continue
		}
		if s != d || !c.stream.NoLoops {
			c.next[d>>b.shift]++
		}
	}
}

// placeBuckets turns the counts of each chunk into start indices and returns the total number of edges.
func (b *cscBuilder) placeBuckets() uint64 {
	next := uint64(0)
	for k := range b.buckets {
		b.starts[k] = next
		for i := range b.chunks {
			at := b.chunks[i].next
			at[k], next = next, next+at[k]
		}
	}
	b.starts[b.buckets] = next
	b.scattered = make([]uint64, next)
	return next
}

// scatterEdges writes a chunk's edges into their buckets.
func (b *cscBuilder) scatterEdges(c *streamChunk, _ int64, pairs []int64) {
	at, placed, shift, noLoops := c.next, b.scattered, b.shift, c.stream.NoLoops
	for i := 0; i+1 < len(pairs); i += 2 {
		s, d := c.stream.edgeNodes(pairs[i : i+2 : i+2])
		if s == d && noLoops {
			continue
		}
		k := d >> shift
		placed[at[k]] = d<<32 | s
		at[k]++
	}
}

// makeRows builds the rows of all buckets.
func (b *cscBuilder) makeRows(ctx context.Context, edges uint64) (*CSC, error) {
	if b.plan.Loops {
		edges += uint64(b.plan.Destinations)
	}
	c := newCSC(b.plan.Destinations, edges)
	parallel.Each(ctx, b.buckets, func(k int) { b.makeBucketRows(c, k) })
	return c, b.err(ctx)
}

// makeBucketRows builds the rows of the destinations in bucket k.
func (b *cscBuilder) makeBucketRows(c *CSC, k int) {
	first, end := k<<b.shift, min((k+1)<<b.shift, b.plan.Destinations)
	placed := b.scattered[b.starts[k]:b.starts[k+1]]
	next := make([]uint64, end-first)
	for _, p := range placed {
		next[int(p>>32)-first]++
	}
	offset := b.starts[k]
	if b.plan.Loops {
		offset += uint64(first)
	}
	b.setOffsets(c, first, next, offset)
	for _, p := range placed {
		at := &next[int(p>>32)-first]
		c.sources[*at] = uint32(p)
		*at++
	}
	if b.plan.Loops {
		for i, at := range next {
			c.sources[at] = uint32(first + i)
		}
	}
}

// setOffsets sets the offsets of the rows of nodes from first on, from their degrees and the first row's offset.
func (b *cscBuilder) setOffsets(c *CSC, first int, degrees []uint64, offset uint64) {
	fits := true
	for i, degree := range degrees {
		fits = c.setOffset(first+i, offset) && fits
		degrees[i] = offset
		offset += degree
		if b.plan.Loops {
			offset++
		}
	}
	if first+len(degrees) == b.plan.Destinations {
		fits = c.setOffset(b.plan.Destinations, offset) && fits
	}
	if !fits {
		b.faults.Addf(fmt.Sprintf("nodes %d to %d", first, first+len(degrees)),
			"over 2^32 edges into %d nodes in a row, more than are held", 1<<baseShift)
	}
}
