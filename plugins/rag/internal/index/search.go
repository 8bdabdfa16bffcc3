package index

import "slices"

// graphSearch contains the state and memory of a search.
type graphSearch struct {
	graph        *Graph
	query        []float32
	squaredNorm  float32
	visited      []uint32 // number of the last search that visited each vector
	searchNumber uint32
	candidates   hitHeap // nearest on top
	found        hitHeap // farthest on top
}

func (g *Graph) borrowSearch() *graphSearch {
	s, _ := g.searchPool.Get().(*graphSearch)
	if s == nil {
		s = &graphSearch{graph: g, found: hitHeap{farthestFirst: true}}
	}
	if n := g.Len(); len(s.visited) < n {
		s.visited = append(s.visited, make([]uint32, n-len(s.visited))...)
	}
	return s
}

func (s *graphSearch) setQuery(query []float32) { s.query, s.squaredNorm = query, Dot(query, query) }

func (s *graphSearch) makeHit(i uint32) Hit {
	return Hit{i, s.graph.distanceTo(s.query, s.squaredNorm, i)}
}

// descendTo follows links from the entry to the nearest vector on each level above level.
func (s *graphSearch) descendTo(level int) Hit {
	at := s.makeHit(s.graph.entry)
	for l := len(s.graph.links[s.graph.entry]) - 1; l > level; l-- {
		for moved := true; moved; {
			moved = false
			for _, i := range s.graph.links[at.ID][l] {
				if h := s.makeHit(i); h.isBefore(at) {
					at, moved = h, true
				}
			}
		}
	}
	return at
}

// searchLevel returns approximately the ef vectors of a level that are nearest to the query, starting from the vectors
// in starts. They are sorted, and valid until the next call.
func (s *graphSearch) searchLevel(starts []Hit, level, ef int) []Hit {
	if s.searchNumber++; s.searchNumber == 0 {
		clear(s.visited)
		s.searchNumber = 1
	}
	s.candidates.hits, s.found.hits = s.candidates.hits[:0], s.found.hits[:0]
	for _, h := range starts {
		s.visited[h.ID] = s.searchNumber
		s.candidates.push(h)
		s.found.push(h)
	}
	for len(s.candidates.hits) > 0 {
		near := s.candidates.pop()
		if len(s.found.hits) >= ef && s.found.hits[0].isBefore(near) {
			break
		}
		for _, i := range s.graph.links[near.ID][level] {
			if s.visited[i] == s.searchNumber {
				continue
			}
			s.visited[i] = s.searchNumber
			h := s.makeHit(i)
			if len(s.found.hits) >= ef {
				if !h.isBefore(s.found.hits[0]) {
					continue
				}
				s.found.pop()
			}
			s.candidates.push(h)
			s.found.push(h)
		}
	}
	slices.SortFunc(s.found.hits, compareHits)
	return s.found.hits
}

// hitHeap is a heap with the nearest hit on top, or the farthest if far is set.
type hitHeap struct {
	hits          []Hit
	farthestFirst bool
}

func (h *hitHeap) ranksAbove(a, b Hit) bool {
	if h.farthestFirst {
		return b.isBefore(a)
	}
	return a.isBefore(b)
}

func (h *hitHeap) push(hit Hit) {
	h.hits = append(h.hits, hit)
	i := len(h.hits) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h.ranksAbove(hit, h.hits[up]) {
			break
		}
		h.hits[i] = h.hits[up]
		i = up
	}
	h.hits[i] = hit
}

func (h *hitHeap) pop() Hit {
	top, last := h.hits[0], len(h.hits)-1
	hit := h.hits[last]
	h.hits = h.hits[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h.ranksAbove(h.hits[down+1], h.hits[down]) {
			down++
		}
		if !h.ranksAbove(h.hits[down], hit) {
			break
		}
		h.hits[i] = h.hits[down]
		i = down
	}
	if last > 0 {
		h.hits[i] = hit
	}
	return top
}
