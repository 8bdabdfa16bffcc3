package index

import "slices"

// graphSearch contains the state and memory of a search.
type graphSearch struct {
	g       *Graph
	query   []float32
	square  float32
	visited []uint32 // number of the last search that visited each vector
	number  uint32
	next    hitHeap // nearest on top
	found   hitHeap // farthest on top
}

func (g *Graph) borrowSearch() *graphSearch {
	s, _ := g.searches.Get().(*graphSearch)
	if s == nil {
		s = &graphSearch{g: g, found: hitHeap{far: true}}
	}
	if n := g.Len(); len(s.visited) < n {
		s.visited = append(s.visited, make([]uint32, n-len(s.visited))...)
	}
	return s
}

func (s *graphSearch) setQuery(query []float32) { s.query, s.square = query, Dot(query, query) }

func (s *graphSearch) hitOf(i uint32) Hit { return Hit{i, s.g.distanceTo(s.query, s.square, i)} }

// descendTo follows links from the entry to the nearest vector on each level above level.
func (s *graphSearch) descendTo(level int) Hit {
	at := s.hitOf(s.g.entry)
	for l := len(s.g.links[s.g.entry]) - 1; l > level; l-- {
		for moved := true; moved; {
			moved = false
			for _, i := range s.g.links[at.ID][l] {
				if h := s.hitOf(i); h.isBefore(at) {
					at, moved = h, true
				}
			}
		}
	}
	return at
}

// searchLevel returns approximately the ef vectors of a level that are nearest to the query, starting from the vectors
// in from. They are sorted, and valid until the next call.
func (s *graphSearch) searchLevel(from []Hit, level, ef int) []Hit {
	if s.number++; s.number == 0 {
		clear(s.visited)
		s.number = 1
	}
	s.next.hits, s.found.hits = s.next.hits[:0], s.found.hits[:0]
	for _, h := range from {
		s.visited[h.ID] = s.number
		s.next.push(h)
		s.found.push(h)
	}
	for len(s.next.hits) > 0 {
		near := s.next.pop()
		if len(s.found.hits) >= ef && s.found.hits[0].isBefore(near) {
			break
		}
		for _, i := range s.g.links[near.ID][level] {
			if s.visited[i] == s.number {
				continue
			}
			s.visited[i] = s.number
			h := s.hitOf(i)
			if len(s.found.hits) >= ef {
				if !h.isBefore(s.found.hits[0]) {
					continue
				}
				s.found.pop()
			}
			s.next.push(h)
			s.found.push(h)
		}
	}
	slices.SortFunc(s.found.hits, compareHits)
	return s.found.hits
}

// hitHeap is a heap with the nearest hit on top, or the farthest if far is set.
type hitHeap struct {
	hits []Hit
	far  bool
}

func (h *hitHeap) ranksAbove(a, b Hit) bool {
	if h.far {
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
