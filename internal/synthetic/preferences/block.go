package preferences

import (
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// block is a period of a user: the offered candidates, and those that entered the history. In a block without
// candidates the user was absent.
type block struct{ candidates, history []ratedItem }

// ratedItem is an item with its rating in halves, 2 to 10.
type ratedItem struct{ item, halves int }

// stream draws the blocks of a user.
func (s *Set) stream(number int) (all [blocks]block) {
	u := newUser(number)
	for b := range all {
		r := draw.NewRandom(seed, drawBlocks, uint64(number), uint64(b))
		if present := r.Chance(activePercent); b == baseBlock || b == evaluationBlock || present {
			all[b] = s.drawBlock(r, &u, b)
		}
	}
	return all
}

func (s *Set) drawBlock(r *draw.Random, u *user, number int) block {
	taken := periodHistory
	if number == baseBlock {
		taken = baseHistory
	}
	offered := []ratedItem{}
	for _, item := range r.Shuffled(Items)[:Candidates] {
		offered = append(offered, ratedItem{item, s.drawRating(r, u, number, item)})
	}
	history := []ratedItem{}
	for _, i := range r.Shuffled(Candidates)[:taken] {
		history = append(history, offered[i])
	}
	return block{offered, history}
}
