package tabular

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// ErrGrouping is wrapped by every error of this package.
var ErrGrouping = errors.New("grouping of pairs into samples")

// OfficialSeed is the reference's default seed for NumPy's generator.
const OfficialSeed = 123

// maxPairs limits the pairs per sample in a distribution.
const maxPairs = 1 << 20

// Quantiles is the distribution of the number of pairs in a sample, as ascending quantiles at equal steps of
// probability.
type Quantiles []int

// OfficialQuantiles returns the distribution that the rules prescribe (MLPerf inference rules, 9.3): 100 to 700 pairs,
// 270 on average, in steps of a twentieth. The caller owns it.
func OfficialQuantiles() Quantiles {
	return Quantiles{100, 100, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 300, 300, 400, 500, 600, 700}
}

// Check returns an error that lists why q is not a valid distribution.
func (q Quantiles) Check() error {
	var faults []error
	if len(q) == 0 || len(q) > math.MaxInt32 {
		faults = append(faults, fmt.Errorf("%w: %d numbers, want at least 1", ErrGrouping, len(q)))
	}
	for i, size := range q {
		if size < 1 || size > maxPairs {
			faults = append(faults, fmt.Errorf("%w: number %d is %d, want 1 to %d", ErrGrouping, i, size, maxPairs))
		}
		if i > 0 && size < q[i-1] {
			faults = append(faults, fmt.Errorf("%w: number %d is %d after %d, want them ascending",
				ErrGrouping, i, size, q[i-1]))
		}
	}
	return errors.Join(faults...)
}

// GroupPairs divides a run of pairs into samples, by the method of the rules. It draws the sizes from q with NumPy's
// generator and the given seed. The last sample contains the remaining pairs. Sample i consists of the pairs
// [bounds[i], bounds[i+1]).
func GroupPairs(pairs int, q Quantiles, seed uint32) (bounds []int, err error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	random := mt19937.New(seed)
	return cutSamples(pairs, func() int { return q[drawBelow(random, len(q))] })
}

// drawBelow draws a number in [0, n), for n from 1 to 2^31, in the way of numpy.random.randint(0, n). It draws as many
// low bits as n - 1 has, and repeats draws that are too large.
func drawBelow(m *mt19937.Source, n int) int {
	maxValue := uint32(n - 1)
	mask := uint32(1)<<bits.Len32(maxValue) - 1
	if maxValue == 0 {
		return 0
	}
	for {
		if v := m.Uint32() & mask; v <= maxValue {
			return int(v)
		}
	}
}

// GroupEqually divides a run of pairs into samples of size pairs. The last one contains the remaining pairs.
func GroupEqually(pairs, size int) (bounds []int, err error) {
	if size < 1 || size > maxPairs {
		return nil, fmt.Errorf("%w: %d pairs in each sample, want 1 to %d", ErrGrouping, size, maxPairs)
	}
	return cutSamples(pairs, func() int { return size })
}

func cutSamples(pairs int, size func() int) ([]int, error) {
	if pairs < 1 {
		return nil, fmt.Errorf("%w: %d pairs, want at least 1", ErrGrouping, pairs)
	}
	bounds := []int{0}
	for at := 0; at < pairs; {
		at += min(size(), pairs-at)
		bounds = append(bounds, at)
	}
	return bounds, nil
}
