package preferences

import "github.com/plumbline-ml/plumbline/internal/draw"

// one is one point of a rating in the hidden model, whose numbers have units of 1/256 points.
const one = 256

// The parts of a rating.
const (
	meanRating = 806
	quality    = 192 // maximum effect of an item's quality
	strictness = 160 // maximum effect of a cohort's strictness
	noise      = 141 // standard deviation
)

// likingAt returns the effect of a category's distance on the ring from the favourite category.
func likingAt(distance int) int {
	return [...]int{320, 192, -26, -205, -282}[distance]
}

// ringDistance returns the distance of two categories on the ring.
func ringDistance(a, b int) int {
	d := (a - b + Categories) % Categories
	return min(d, Categories-d)
}

// user contains the hidden properties of a user.
type user struct {
	strict     int         // equal to the cohort's
	favourites [blocks]int // by block; in the evaluation block, the opposite category on the ring
}

func newUser(number int) (u user) {
	r := draw.NewRandom(seed, drawUsers, uint64(number))
	u.strict = draw.NewRandom(seed, drawCohorts, uint64(number%Cohorts)).IntBetween(-strictness, strictness)
	favourite := r.IntBelow(Categories)
	for b := range u.favourites {
		if b == evaluationBlock {
			u.favourites[b] = (favourite + Categories/2) % Categories
			continue
		}
		if b != baseBlock {
			favourite = (favourite + r.IntBelow(2)) % Categories
		}
		u.favourites[b] = favourite
	}
	return u
}

// expectedRating returns the rating without noise, in 1/256 points.
func (s *Set) expectedRating(u *user, block, item int) int {
	category := item / (Items / Categories)
	return meanRating + likingAt(ringDistance(category, u.favourites[block])) + s.items[item] - u.strict
}

// bellDeviation is the standard deviation of bell, the sum of four 16-bit numbers: 65536 * sqrt(4/12).
const bellDeviation = 37837

// bell returns an approximately normal integer with mean 0: the sum of four uniform numbers.
func bell(r *draw.Random) int {
	v := r.Uint64()
	return int(v&0xffff+v>>16&0xffff+v>>32&0xffff+v>>48) - 2*0xffff
}

// The minimum and maximum rating, in halves.
const (
	minRating = 2
	maxRating = 10
)

// drawRating draws a rating, in halves.
func (s *Set) drawRating(r *draw.Random, u *user, block, item int) int {
	points := s.expectedRating(u, block, item) + bell(r)*noise/bellDeviation
	return min(max((2*points+one/2)/one, minRating), maxRating)
}
