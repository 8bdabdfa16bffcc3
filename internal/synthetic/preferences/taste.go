package preferences

import "github.com/plumbline-ml/plumbline/internal/draw"

// one is a point of a rating in the hidden model, whose numbers are in 1/256 points.
const one = 256

// What makes a rating.
const (
	middle     = 806
	quality    = 192 // of an item, at most
	strictness = 160 // of a cohort, at most
	noise      = 141 // standard deviation
)

// liking is what a category's distance on the ring from the favourite one adds.
func liking(distance int) int {
	return [...]int{320, 192, -26, -205, -282}[distance]
}

// distance is that of two categories on the ring.
func distance(a, b int) int {
	d := (a - b + Categories) % Categories
	return min(d, Categories-d)
}

// user is what is hidden of a user.
type user struct {
	strict     int         // as the cohort is
	favourites [blocks]int // by block; of the evaluation block across the ring
}

func newUser(number int) (u user) {
	r := draw.NewRandom(seed, ofUsers, uint64(number))
	u.strict = draw.NewRandom(seed, ofCohorts, uint64(number%Cohorts)).Between(-strictness, strictness)
	favourite := r.Below(Categories)
	for b := range u.favourites {
		if b == evaluationBlock {
			u.favourites[b] = (favourite + Categories/2) % Categories
			continue
		}
		if b != baseBlock {
			favourite = (favourite + r.Below(2)) % Categories
		}
		u.favourites[b] = favourite
	}
	return u
}

// expected is the rating before noise, in 1/256 points.
func (s *Set) expected(u *user, block, item int) int {
	category := item / (Items / Categories)
	return middle + liking(distance(category, u.favourites[block])) + s.items[item] - u.strict
}

// bellDeviation is the standard deviation of bell: that of a sum of four numbers of 16 bits, 65536 * sqrt(4/12).
const bellDeviation = 37837

// bell returns an integer of about a normal distribution with mean 0: the sum of four uniform ones.
func bell(r *draw.Random) int {
	v := r.Uint64()
	return int(v&0xffff+v>>16&0xffff+v>>32&0xffff+v>>48) - 2*0xffff
}

// least and most ratings, in halves.
const (
	least = 2
	most  = 10
)

// rate returns a rating in halves.
func (s *Set) rate(r *draw.Random, u *user, block, item int) int {
	points := s.expected(u, block, item) + bell(r)*noise/bellDeviation
	return min(max((2*points+one/2)/one, least), most)
}
