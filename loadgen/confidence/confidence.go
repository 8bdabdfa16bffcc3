// Package confidence computes how many queries a run needs for its tail latency to be known: the formula of the rules
// v0.5 and v0.7 (appendix "Number of Queries") and of the paper "MLPerf Inference Benchmark" (section III-D,
// equations 1 and 2). Later rounds use early stopping instead.
//
// In: percentiles. Out: which rounds ask for which: package mlconf.
package confidence

import "math"

// The confidence that the rules chose, and the multiple to which they round query counts up.
const (
	Level = 0.99
	Unit  = 1 << 13
)

// Margin is the margin of error that the rules allow at a tail-latency percentile, a fraction in (0, 1): one
// twentieth of its distance from 1.
func Margin(percentile float64) float64 { return (1 - percentile) / 20 }

// Queries is how many queries show that a share of them, a percentile in (0, 1), is under a latency limit: within the
// margin of the rules and at their confidence, to the nearest whole number as in their tables.
func Queries(percentile float64) uint64 {
	return QueriesFor(percentile, Level, Margin(percentile))
}

// QueriesFor is Queries for another confidence and margin, both fractions in (0, 1).
//
// It is NormsInv((1-c)/2)^2 * p(1-p) / m^2, the sample size of a poll of an unlimited electorate. (The texts write
// p(p-1); their example has p(1-p).)
func QueriesFor(percentile, confidence, margin float64) uint64 {
	z := normsInv((1 - confidence) / 2)
	return uint64(math.Round(z * z * percentile * (1 - percentile) / (margin * margin)))
}

// Rounded is n rounded up to a multiple of Unit, as the rules round their counts.
func Rounded(n uint64) uint64 { return (n + Unit - 1) / Unit * Unit }

// normsInv is the quantile of the standard normal distribution.
func normsInv(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
