package schedule

import "github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"

// sampleOrder draws the samples of the queries. It consumes the source in a fixed order, whether the result is used or
// not: the accuracy order, the order of unique issue, the passes of equal issue, then the queries.
type sampleOrder struct {
	params   Params
	src      *mt19937.Source
	accuracy []uint32 // positions in the set, one per query; nil if unused
	unique   []uint32
	equal    []uint32
}

func newOrder(p Params) *sampleOrder {
	o := &sampleOrder{params: p, src: Source(p.SampleSeed, p.Older)}
	if p.Accuracy {
		o.accuracy = o.queryStarts(true)
	}
	o.unique = o.queryStarts(p.IssueUnique)
	o.equal = o.shuffledPasses(p.EqualIssue)
	return o
}

// queryStarts shuffles the start positions of disjoint queries.
func (o *sampleOrder) queryStarts(used bool) []uint32 {
	stride := int(o.params.queryWidth())
	n := (o.params.Set.Size + stride - 1) / stride
	if !used {
		o.src.SkipShuffle(n)
		return nil
	}
	at := make([]uint32, n)
	for i := range at {
		at[i] = uint32(i * stride)
	}
	mt19937.Shuffle(o.src, at)
	return at
}

// shuffledPasses shuffles the loaded list repeatedly until it covers the minimum number of queries.
func (o *sampleOrder) shuffledPasses(used bool) []uint32 {
	loaded := len(o.params.Set.Loaded)
	least := o.params.MinQueries
	if o.params.Accuracy || o.params.LoadedOnce {
		least = uint64(loaded) / o.params.samplesPerQuery()
	}
	n := int((least + uint64(loaded) - 1) / uint64(loaded))
	if !used {
		for range n {
			o.src.SkipShuffle(loaded)
		}
		return nil
	}
	one := make([]uint32, loaded)
	for i := range one {
		one[i] = uint32(i)
	}
	all := make([]uint32, 0, n*loaded)
	for range n {
		mt19937.Shuffle(o.src, one)
		all = append(all, one...)
	}
	return all
}

// drawSamples returns the data-set indices of all queries, in the order of the queries.
func (o *sampleOrder) drawSamples(queries int) []uint32 {
	switch o.params.Scenario {
	case MultiStream:
		return o.drawRuns(queries)
	case Offline:
		return o.drawBatch()
	}
	return o.drawSingles(queries)
}

// drawSingles draws one-sample queries.
func (o *sampleOrder) drawSingles(queries int) []uint32 {
	out := make([]uint32, queries)
	loaded := o.params.Set.Loaded
	if list := o.walkedList(); list != nil {
		for q := range out {
			out[q] = loaded[list[q%len(list)]]
		}
		return out
	}
	size := uint32(o.params.Set.Size)
	for q := range out {
		out[q] = loaded[o.src.Below(size)]
	}
	return out
}

// walkedList returns the positions that one-sample queries walk through, or nil if each query draws its sample.
func (o *sampleOrder) walkedList() []uint32 {
	switch {
	case o.params.IssueUnique:
		return o.unique
	case o.params.IssueSame:
		return []uint32{uint32(o.params.SameIndex)}
	case o.params.EqualIssue:
		return o.equal
	}
	return o.accuracy
}

// drawRuns draws MultiStream's queries. Each is a run of consecutive entries of the loaded list, including its padding.
func (o *sampleOrder) drawRuns(queries int) []uint32 {
	width := int(o.params.SamplesPerQuery)
	out := make([]uint32, 0, queries*width)
	for q := range queries {
		at := int(o.startPosition(q))
		out = append(out, o.params.Set.Loaded[at:at+width]...)
	}
	return out
}

func (o *sampleOrder) startPosition(q int) uint32 {
	switch {
	case o.params.IssueUnique:
		return o.unique[q]
	case o.params.IssueSame:
		return uint32(o.params.SameIndex)
	case o.params.Accuracy:
		return o.accuracy[q]
	}
	return o.src.Below(uint32(o.params.Set.Size))
}

// drawBatch returns the samples of Offline's only query. They are repetitions of the loaded list, the last one cut
// short, so it returns only one copy of the list. With equal issue, each whole copy is a fresh shuffle.
func (o *sampleOrder) drawBatch() []uint32 {
	loaded := o.params.Set.Loaded
	n := o.params.samplesPerQuery()
	switch {
	case o.params.IssueSame:
		return loaded[o.params.SameIndex : o.params.SameIndex+1]
	case !o.params.EqualIssue:
		return loaded[:min(n, uint64(len(loaded)))]
	}
	out := make([]uint32, n)
	for rest := out; len(rest) > 0; {
		n := copy(rest, loaded)
		if n == len(loaded) {
			mt19937.Shuffle(o.src, rest[:n])
		}
		rest = rest[n:]
	}
	return out
}
