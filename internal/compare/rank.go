package compare

import (
	"math"
	"slices"
)

// TestName names the test that decides whether a difference is larger than the spread.
const TestName = "Mann-Whitney U test, two-sided"

// SignificanceLevel is the significance level: a difference with a smaller p-value counts as larger than the spread.
const SignificanceLevel = 0.05

// maxExact is the largest total number of values for which the exact distribution is used. Above it, the normal
// approximation is as good.
const maxExact = 40

// mannWhitney returns the two-sided p of the Mann-Whitney U test (H. B. Mann, D. R. Whitney, Annals of Mathematical
// Statistics 18, 1947). It is the probability that two samples of one distribution differ in rank at least as much as a
// and b do. Equal values share their mean rank. The distribution covers all assignments of the ranks, so it is exact
// with ties too. For more than maxExact values it is the normal distribution, corrected for ties and continuity.
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

// doubledRanks returns twice the ranks of the values of a, then of b, among all of them. Doubling makes them whole
// numbers, because equal values share their mean rank.
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

// exactP returns the share of the choices of n ranks whose sum is at least as far from the mean as found.
func exactP(ranks []int, found, n int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := countChoices(ranks, n, total)
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

// countChoices returns, for each sum from 0 to maxSum, the number of choices of n ranks with this sum.
func countChoices(ranks []int, n, maxSum int) []float64 {
	ways := make([][]float64, n+1) // by the number of chosen ranks
	for k := range ways {
		ways[k] = make([]float64, maxSum+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for k := n; k >= 1; k-- {
			for sum := maxSum; sum >= r; sum-- {
				ways[k][sum] += ways[k-1][sum-r]
			}
		}
	}
	return ways[n]
}

// normalP returns the p of a sum of n ranks under the normal approximation.
func normalP(ranks []int, found, n int) float64 {
	size, m := float64(len(ranks)), float64(n)
	middle, squares := size+1, 0.0 // the mean of the doubled ranks
	for _, r := range ranks {
		squares += (float64(r) - middle) * (float64(r) - middle)
	}
	variance := m * (size - m) / (size * (size - 1)) * squares
	far := math.Abs(float64(found)-m*middle) - 1 // minus half a rank, doubled
	if variance == 0 || far <= 0 {
		return 1
	}
	return math.Erfc(far / math.Sqrt(2*variance))
}

// smallestP returns the smallest p that n and m different values can give. With few values it exceeds
// SignificanceLevel.
func smallestP(n, m int) float64 {
	p := 2.0
	for i := range min(n, m) {
		p *= float64(i+1) / float64(n+m-i)
	}
	return math.Min(1, p)
}
