package preferences

import (
	"github.com/plumbline-ml/plumbline/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// block is a period of a user: the offered candidates, and those that entered the history. In a block without
// candidates the user was absent.
type block struct{ candidates, history []rated }

// rated is an item with its rating in halves, 2 to 10.
type rated struct{ item, halves int }

// stream draws the blocks of a user.
func (s *Set) stream(number int) (all [blocks]block) {
	u := newUser(number)
	for b := range all {
		r := draw.NewRandom(seed, ofBlocks, uint64(number), uint64(b))
		if present := r.Chance(active); b == baseBlock || b == evaluationBlock || present {
			all[b] = s.block(r, &u, b)
		}
	}
	return all
}

func (s *Set) block(r *draw.Random, u *user, number int) block {
	taken := periodHistory
	if number == baseBlock {
		taken = baseHistory
	}
	offered := lists.Map(r.Shuffled(Items)[:Candidates], func(item int) rated {
		return rated{item, s.rate(r, u, number, item)}
	})
	return block{offered, lists.Map(r.Shuffled(Candidates)[:taken], func(i int) rated { return offered[i] })}
}
