package draw

import "math/bits"

// Random is the state of a SplitMix64 generator (Steele, Lea, Flood 2014).
type Random uint64

// NewRandom returns a generator whose sequence depends on all keys and their order.
func NewRandom(keys ...uint64) *Random {
	var r Random
	for _, k := range keys {
		r = Random(r.Uint64() ^ k)
	}
	return &r
}

// Uint64 returns the next 64 random bits.
func (r *Random) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// IntBelow returns a number in [0, n); n must be at least 1. The bias is below n / 2^64.
func (r *Random) IntBelow(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// IntBetween returns a number in [lo, hi].
func (r *Random) IntBetween(lo, hi int) int { return lo + r.IntBelow(hi-lo+1) }

// Chance returns true with a probability of percent / 100.
func (r *Random) Chance(percent int) bool { return r.IntBelow(100) < percent }

// Shuffled returns the numbers 0 to n-1 in random order (Fisher and Yates).
func (r *Random) Shuffled(n int) []int {
	order := make([]int, n)
	for i := range order {
		j := r.IntBelow(i + 1)
		order[i] = order[j]
		order[j] = i
	}
	return order
}

// Shuffle returns items in random order.
func Shuffle[S ~[]T, T any](r *Random, items S) S {
	out := make(S, len(items))
	for to, from := range r.Shuffled(len(items)) {
		out[to] = items[from]
	}
	return out
}
