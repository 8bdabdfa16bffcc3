// Package schedule makes all random draws of a test before its clock starts: the sets of samples loaded together, the
// order and times of the queries, and the answers to log. It reproduces the official LoadGen's sequences from the same
// seeds.
//
// In scope: seeds and counts. Out of scope: clocks, SUTs, logs.
package schedule

import "github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"

// Set is one loadable set: data-set indices in their loading order.
type Set struct {
	Loaded []uint32 // including MultiStream's padding at the end
	Size   int      // number of samples without the padding
}

// Source returns a generator with a seed. If older is true, it draws integers like C++ libraries before GCC 11.
func Source(seed uint64, older bool) *mt19937.Source {
	if older {
		return mt19937.NewScaled(seed)
	}
	return mt19937.New(seed)
}

// Sets shuffles the indices 0..count-1 and cuts them into sets of perSet. The last set may be smaller. Sets appends the
// first padding entries of each set to its end, so a run of padding+1 consecutive entries may start anywhere. A set
// with fewer entries than padding repeats. count and perSet must be above 0.
func Sets(count, perSet, padding int, src *mt19937.Source) []Set {
	all := make([]uint32, count)
	for i := range all {
		all[i] = uint32(i)
	}
	mt19937.Shuffle(src, all)
	sets := make([]Set, 0, (count+perSet-1)/perSet)
	for len(all) > 0 {
		n := min(perSet, len(all))
		sets = append(sets, Set{Loaded: padSet(all[:n], padding), Size: n})
		all = all[n:]
	}
	return sets
}

func padSet(set []uint32, padding int) []uint32 {
	out := make([]uint32, len(set), len(set)+padding)
	copy(out, set)
	for i := range padding {
		out = append(out, out[i])
	}
	return out
}
