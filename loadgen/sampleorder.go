package loadgen

import (
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"
)

// SampleOrder says how a LoadGen drew its samples from its seeds: which C++ library drew the integers, and of how many
// samples those to load were taken. Times of arrival are the same in all.
type SampleOrder struct {
	Older   bool // integers as by the library of GCC before GCC 11: TestSettings.OlderSampleOrder
	FromAll bool // of all samples, where fewer are loaded: TestSettings.LoadFromAll
}

// String names the order: "that of GCC before 11, of all samples".
func (o SampleOrder) String() string {
	text := "that of GCC 11 and later"
	if o.Older {
		text = "that of GCC before 11"
	}
	if o.FromAll {
		return text + ", of all samples"
	}
	return text
}

// maxOrdered bounds the data sets of which the order is looked for.
const maxOrdered = 1 << 20

// SampleOrderOf are the orders in which a seed gives the samples that were loaded first, as far as loaded lists them.
// total is the size of the data set, count how many samples were loaded together. In a small set several orders may
// agree; where none does, as of C++ libraries other than GCC's, or where nothing is known, there is none.
func SampleOrderOf(loaded []uint64, total, count, seed uint64) []SampleOrder {
	if len(loaded) == 0 || count == 0 || total == 0 || max(total, count) > maxOrdered {
		return nil
	}
	var found []SampleOrder
	for _, o := range []SampleOrder{{}, {FromAll: true}, {Older: true}, {Older: true, FromAll: true}} {
		of := min(total, count)
		if o.FromAll {
			if of == total { // both are the same
				continue
			}
			of = total
		}
		if slices.Equal(loaded[:min(len(loaded), int(of))], o.firstDraws(len(loaded), of, seed)) {
			found = append(found, o)
		}
	}
	return found
}

// firstDraws are the first n of the samples 0..of-1 in the order of a seed.
func (o SampleOrder) firstDraws(n int, of, seed uint64) []uint64 {
	src := mt19937.New(seed)
	if o.Older {
		src = mt19937.NewScaled(seed)
	}
	all := make([]uint64, of)
	for i := range all {
		all[i] = uint64(i)
	}
	mt19937.Shuffle(src, all)
	return all[:min(n, len(all))]
}
