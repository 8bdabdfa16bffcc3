package compare

import (
	"math"
	"slices"
)

// TestName is the test that decides whether a difference is larger than the spread.
const TestName = "Mann-Whitney U test, two-sided"

// Level is the probability below which a difference counts as larger than the spread.
const Level = 0.05

// maxExact is how many values there may be together for the exact distribution; the normal one is as good above.
const maxExact = 40

// mannWhitney is the probability that two samples of one distribution differ in rank as much as a and b do, or more:
// the two-sided p of the Mann-Whitney U test (H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18, 1947).
// Equal values share their mean rank, and the distribution is that over all ways to deal the ranks out, so that it is
// exact with ties, too; with more than maxExact values it is the normal one, corrected for ties and continuity.
func mannWhitney(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	ranks := doubledRanks(a, b)
	sum := 0
	for _, r := range ranks[:len(a)] {
		sum += r
	}
	if len(ranks) > maxExact {
		return normalP(ranks, sum, len(a))
	}
	return exactP(ranks, sum, len(a))
}

// doubledRanks are twice the ranks of the values of a and b among all of them, in their order: whole numbers, since
// equal values share the mean of their ranks.
func doubledRanks(a, b []float64) []int {
	values := slices.Concat(a, b)
	sorted := slices.Sorted(slices.Values(values))
	ranks := make([]int, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last+1 < len(sorted) && sorted[last+1] == v {
			last++
		}
		ranks[i] = first + last + 2
	}
	return ranks
}

// exactP counts the choices of n of the ranks whose sum is as far from the middle as the one that was found, or
// farther.
func exactP(ranks []int, found, n int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := waysToSum(ranks, n, total)
	middle := float64(n) * float64(total) / float64(len(ranks))
	far := math.Abs(float64(found) - middle)
	var extreme, all float64
	for sum, w := range ways {
		all += w
		if math.Abs(float64(sum)-middle) >= far-1e-9*middle {
			extreme += w
		}
	}
	return math.Min(1, extreme/all)
}

// waysToSum counts for each sum up to most the choices of n of the ranks that have it.
func waysToSum(ranks []int, n, most int) []float64 {
	ways := make([][]float64, n+1) // by how many are chosen
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for k := n; k >= 1; k-- {
			for sum := most; sum >= r; sum-- {
				ways[k][sum] += ways[k-1][sum-r]
			}
		}
	}
	return ways[n]
}

// normalP is the p of the normal distribution that sums of n of the ranks approach.
func normalP(ranks []int, found, n int) float64 {
	size, m := float64(len(ranks)), float64(n)
	middle, squares := size+1, 0.0 // the mean of the doubled ranks
	for _, r := range ranks {
		squares += (float64(r) - middle) * (float64(r) - middle)
	}
	variance := m * (size - m) / (size * (size - 1)) * squares
	far := math.Abs(float64(found)-m*middle) - 1 // half a rank, doubled
	if variance == 0 || far <= 0 {
		return 1
	}
	return math.Erfc(far / math.Sqrt(2*variance))
}

// minP is the smallest p that n and m different values can give; with few of them it is above Level, whatever they
// are.
func minP(n, m int) float64 {
	p := 2.0
	for i := range min(n, m) {
		p *= float64(i+1) / float64(n+m-i)
	}
	return math.Min(1, p)
}
