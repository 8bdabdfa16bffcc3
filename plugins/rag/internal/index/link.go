package index

import (
	"context"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// groupSize is the number of vectors that are linked together.
const groupSize = 256

// linkNext links the next n vectors. It first chooses the links of all new vectors in parallel, and then adds the links
// back to them.
func (g *Graph) linkNext(n int) {
	first := g.linked
	for i := first; i < first+n; i++ {
		g.links = append(g.links, make([][]uint32, g.topLevel(i)+1))
	}
	parallel.Each(context.Background(), n, func(k int) { g.chooseLinks(uint32(first+k), uint32(first)) })
	g.linkBack(first, n)
	for i := first; i < first+n; i++ {
		if g.linked == 0 && i == 0 || len(g.links[i]) > len(g.links[g.entry]) {
			g.entry = uint32(i)
		}
	}
	g.linked = first + n
}

// chooseLinks chooses the links of vector i among the vectors that a search in the graph finds and the earlier vectors
// of its group, which starts at first.
func (g *Graph) chooseLinks(i, first uint32) {
	s := g.borrowSearch()
	defer g.searchPool.Put(s)
	s.setQuery(g.Vector(int(i)))
	mates := make([]Hit, 0, i-first)
	for m := first; m < i; m++ {
		mates = append(mates, s.makeHit(m))
	}
	var from []Hit
	top := -1
	if first > 0 {
		top = len(g.links[g.entry]) - 1
		from = []Hit{s.descendTo(len(g.links[i]) - 1)}
	}
	for l := len(g.links[i]) - 1; l >= 0; l-- {
		var all []Hit
		if l <= top {
			all = slices.Clone(s.searchLevel(from, l, g.EFConstruction))
			from = slices.Clone(all)
		}
		for _, m := range mates {
			if len(g.links[m.ID]) > l {
				all = append(all, m)
			}
		}
		slices.SortFunc(all, compareHits)
		g.links[i][l] = g.chooseDiverse(all[:min(len(all), max(g.EFConstruction, g.maxLinks(l)))], g.maxLinks(l))
	}
}

// chooseDiverse chooses up to maxLinks links from hits in order. It skips hits that are nearer to an already chosen one
// than to the vector itself (algorithm 4 of the paper, without its extensions).
func (g *Graph) chooseDiverse(all []Hit, maxLinks int) []uint32 {
	chosen := make([]uint32, 0, maxLinks)
	for _, h := range all {
		if len(chosen) == maxLinks {
			break
		}
		v, square := g.Vector(int(h.ID)), g.squaredNorms[h.ID]
		if !slices.ContainsFunc(chosen, func(c uint32) bool { return g.distanceTo(v, square, c) < h.Distance }) {
			chosen = append(chosen, h.ID)
		}
	}
	return chosen
}

// levelVector is a vector on a level.
type levelVector struct {
	id    uint32
	level int
}

// linkBack adds links from existing vectors back to the new ones. If a vector has too many links, it chooses its links
// again.
func (g *Graph) linkBack(first, n int) {
	back := map[levelVector][]uint32{}
	var places []levelVector
	for i := first; i < first+n; i++ {
		for l, links := range g.links[i] {
			for _, to := range links {
				p := levelVector{to, l}
				if back[p] == nil {
					places = append(places, p)
				}
				back[p] = append(back[p], uint32(i))
			}
		}
	}
	parallel.Each(context.Background(), len(places), func(k int) {
		p := places[k]
		links := append(slices.Clone(g.links[p.id][p.level]), back[p]...)
		if room := g.maxLinks(p.level); len(links) > room {
			v, square := g.Vector(int(p.id)), g.squaredNorms[p.id]
			all := make([]Hit, len(links))
			for j, i := range links {
				all[j] = Hit{i, g.distanceTo(v, square, i)}
			}
			slices.SortFunc(all, compareHits)
			links = g.chooseDiverse(all, room)
		}
		g.links[p.id][p.level] = links
	})
}
