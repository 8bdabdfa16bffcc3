package loadgen

import (
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"
)

// SampleOrder describes how a LoadGen drew its samples from its seeds. It contains the C++ library that drew the
// integers, and the number of samples from which the loaded ones were drawn. Arrival times do not depend on it.
type SampleOrder struct {
	Older   bool // integers like GCC's library before GCC 11: TestSettings.OlderSampleOrder
	FromAll bool // drawn from all samples although fewer are loaded: TestSettings.LoadFromAll
}

// String returns the order's name: "that of GCC before 11, of all samples".
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

// maxOrdered is the maximum size of a data set for which SampleOrderOf searches the order.
const maxOrdered = 1 << 20

// SampleOrderOf returns the orders in which a seed produces the samples that were loaded first. loaded may contain only
// the beginning of these samples. total is the size of the data set and count the number of samples loaded together. In
// a small set several orders may match. It returns none if nothing is known or LoadGen was built with a C++ library
// other than GCC's.
func SampleOrderOf(loaded []uint64, total, count, seed uint64) []SampleOrder {
	if len(loaded) == 0 || count == 0 || total == 0 || max(total, count) > maxOrdered {
		return nil
	}
	var found []SampleOrder
	for _, o := range []SampleOrder{{}, {FromAll: true}, {Older: true}, {Older: true, FromAll: true}} {
		of := min(total, count)
		if o.FromAll {
			if of == total { // both orders are the same
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

// firstDraws returns the first n of the samples 0..of-1 in the order of a seed.
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
