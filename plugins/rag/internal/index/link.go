package index

import (
	"context"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// group is how many vectors are linked together.
const group = 256

// link links the next n vectors: what each is linked to is found for all at the same time, then what is linked back.
func (g *Graph) link(n int) {
	first := g.linked
	for i := first; i < first+n; i++ {
		g.links = append(g.links, make([][]uint32, g.level(i)+1))
	}
	lists.Each(context.Background(), n, func(k int) { g.choose(uint32(first+k), uint32(first)) })
	g.linkBack(first, n)
	for i := first; i < first+n; i++ {
		if g.linked == 0 && i == 0 || len(g.links[i]) > len(g.links[g.entry]) {
			g.entry = uint32(i)
		}
	}
	g.linked = first + n
}

// choose links vector i, the first of whose group is first: to those that the graph finds, and those of its group that
// were added before it.
func (g *Graph) choose(i, first uint32) {
	s := g.borrow()
	defer g.searches.Put(s)
	s.aim(g.Vector(int(i)))
	mates := make([]Hit, 0, i-first)
	for m := first; m < i; m++ {
		mates = append(mates, s.hit(m))
	}
	var from []Hit
	top := -1
	if first > 0 {
		top = len(g.links[g.entry]) - 1
		from = []Hit{s.descend(len(g.links[i]) - 1)}
	}
	for l := len(g.links[i]) - 1; l >= 0; l-- {
		var all []Hit
		if l <= top {
			all = slices.Clone(s.layer(from, l, g.EFConstruction))
			from = slices.Clone(all)
		}
		for _, m := range mates {
			if len(g.links[m.ID]) > l {
				all = append(all, m)
			}
		}
		slices.SortFunc(all, order)
		g.links[i][l] = g.diverse(all[:min(len(all), max(g.EFConstruction, g.room(l)))], g.room(l))
	}
}

// diverse chooses links out of hits in order: such as are nearer to the vector itself than to any that is chosen
// already (algorithm 4 of the paper, without its extensions).
func (g *Graph) diverse(all []Hit, room int) []uint32 {
	chosen := make([]uint32, 0, room)
	for _, h := range all {
		if len(chosen) == room {
			break
		}
		v, square := g.Vector(int(h.ID)), g.squares[h.ID]
		if !slices.ContainsFunc(chosen, func(c uint32) bool { return g.distance(v, square, c) < h.Distance }) {
			chosen = append(chosen, h.ID)
		}
	}
	return chosen
}

// place is a vector on a level.
type place struct {
	id    uint32
	level int
}

// linkBack links the vectors that new ones are linked to back to them. Where there is no room, links are chosen anew.
func (g *Graph) linkBack(first, n int) {
	back := map[place][]uint32{}
	var places []place
	for i := first; i < first+n; i++ {
		for l, links := range g.links[i] {
			for _, to := range links {
				p := place{to, l}
				if back[p] == nil {
					places = append(places, p)
				}
				back[p] = append(back[p], uint32(i))
			}
		}
	}
	lists.Each(context.Background(), len(places), func(k int) {
		p := places[k]
		links := append(slices.Clone(g.links[p.id][p.level]), back[p]...)
		if room := g.room(p.level); len(links) > room {
			v, square := g.Vector(int(p.id)), g.squares[p.id]
			all := make([]Hit, len(links))
			for j, i := range links {
				all[j] = Hit{i, g.distance(v, square, i)}
			}
			slices.SortFunc(all, order)
			links = g.diverse(all, room)
		}
		g.links[p.id][p.level] = links
	})
}
