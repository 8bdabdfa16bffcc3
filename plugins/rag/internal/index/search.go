package index

import "slices"

// searcher is the memory of one search at a time.
type searcher struct {
	g       *Graph
	query   []float32
	square  float32
	visited []uint32 // the number of the search that saw a vector last
	number  uint32
	next    heap // the nearest first
	found   heap // the farthest first
}

func (g *Graph) borrow() *searcher {
	s, _ := g.searches.Get().(*searcher)
	if s == nil {
		s = &searcher{g: g, found: heap{far: true}}
	}
	if n := g.Len(); len(s.visited) < n {
		s.visited = append(s.visited, make([]uint32, n-len(s.visited))...)
	}
	return s
}

// aim sets the query.
func (s *searcher) aim(query []float32) { s.query, s.square = query, Dot(query, query) }

func (s *searcher) hit(i uint32) Hit { return Hit{i, s.g.distance(s.query, s.square, i)} }

// descend walks from the entry to the nearest vector above a level.
func (s *searcher) descend(level int) Hit {
	at := s.hit(s.g.entry)
	for l := len(s.g.links[s.g.entry]) - 1; l > level; l-- {
		for moved := true; moved; {
			moved = false
			for _, i := range s.g.links[at.ID][l] {
				if h := s.hit(i); h.before(at) {
					at, moved = h, true
				}
			}
		}
	}
	return at
}

// layer finds about the ef vectors of a level nearest to the query, from where it is entered. They are in order, and
// valid until the next call.
func (s *searcher) layer(from []Hit, level, ef int) []Hit {
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
		if len(s.found.hits) >= ef && s.found.hits[0].before(near) {
			break
		}
		for _, i := range s.g.links[near.ID][level] {
			if s.visited[i] == s.number {
				continue
			}
			s.visited[i] = s.number
			h := s.hit(i)
			if len(s.found.hits) >= ef {
				if !h.before(s.found.hits[0]) {
					continue
				}
				s.found.pop()
			}
			s.next.push(h)
			s.found.push(h)
		}
	}
	slices.SortFunc(s.found.hits, order)
	return s.found.hits
}

// heap has the nearest hit on top, or the farthest.
type heap struct {
	hits []Hit
	far  bool
}

func (h *heap) above(a, b Hit) bool {
	if h.far {
		return b.before(a)
	}
	return a.before(b)
}

func (h *heap) push(hit Hit) {
	h.hits = append(h.hits, hit)
	i := len(h.hits) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !h.above(hit, h.hits[up]) {
			break
		}
		h.hits[i] = h.hits[up]
		i = up
	}
	h.hits[i] = hit
}

func (h *heap) pop() Hit {
	top, last := h.hits[0], len(h.hits)-1
	hit := h.hits[last]
	h.hits = h.hits[:last]
	i := 0
	for {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && h.above(h.hits[down+1], h.hits[down]) {
			down++
		}
		if !h.above(h.hits[down], hit) {
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
