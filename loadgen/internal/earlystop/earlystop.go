// Package earlystop implements the early-stopping criterion of the inference rules (section "Early Stopping"). It
// computes how many queries a run needs for a trustworthy percentile.
//
// A run of h queries under the latency limit and t above it shows with confidence c that the share of queries under
// the limit is at least p - d when P[X <= t] < 1-c for X ~ Binomial(h+t, 1-p+d).
package earlystop

import "sort"

// Criterion is a percentile that a run has to show with a given confidence.
type Criterion struct {
	Percentile float64 // p, a fraction in (0, 1)
	Tolerance  float64 // d, 0 in the rules
	Confidence float64 // c in (0, 1), 0.99 in the rules
}

// Rules returns the criterion of the rules for percentile p.
func Rules(p float64) Criterion { return Criterion{Percentile: p, Confidence: 0.99} }

// maxShareOver returns the maximum share of queries above the limit.
func (c Criterion) maxShareOver() float64 { return 1 - c.Percentile + c.Tolerance }

// passesWith reports whether a run of n queries passes with t of them above the limit.
func (c Criterion) passesWith(n, t uint64) bool {
	return binomialCDF(n, t, c.maxShareOver()) < 1-c.Confidence
}

// MinPassing returns h(t), the number of queries under the limit that a run with t queries above it needs. Its running
// time grows with sqrt(t) log t.
func (c Criterion) MinPassing(t uint64) uint64 {
	width := uint64(64)
	// where t is the mean of X: too few queries for confidences above 1/2
	lo := uint64(float64(t) * (1 - c.maxShareOver()) / c.maxShareOver())
	if c.passesWith(lo+t, t) {
		lo = 0
	}
	for !c.passesWith(lo+width+t, t) {
		lo, width = lo+width, width*2
	}
	return lo + uint64(sort.Search(int(width), func(i int) bool { return c.passesWith(lo+uint64(i)+t, t) }))
}

// Required returns h(1) + 1, the minimum number of queries for which Discard returns an estimate.
func (c Criterion) Required() uint64 { return c.MinPassing(1) + 1 }

// Discard returns the largest t such that t of n queries may lie above a limit that the percentile is shown to meet.
// The estimate of the percentile is the t-th highest latency, after discarding t-1. ok is false if n is less than
// Required.
func (c Criterion) Discard(n uint64) (t uint64, ok bool) {
	if !c.passesWith(n, 1) {
		return 0, false
	}
	most := sort.Search(int(n), func(i int) bool { return !c.passesWith(n, uint64(i)) })
	return uint64(most) - 1, true
}

// Forgives returns the largest t such that a run of n queries passes with t above the limit. ok is false if it does not
// pass even with none.
func (c Criterion) Forgives(n uint64) (t uint64, ok bool) {
	passing := sort.Search(int(n)+1, func(i int) bool { return !c.passesWith(n, uint64(i)) })
	if passing == 0 {
		return 0, false
	}
	return uint64(passing) - 1, true
}

// Missing returns the number of further queries, all under the limit, that a run of n queries with t above the limit
// needs. It returns 0 if the run passes.
func (c Criterion) Missing(n, t uint64) uint64 {
	if need := c.MinPassing(t) + t; need > n {
		return need - n
	}
	return 0
}
