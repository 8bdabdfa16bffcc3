package steady

import (
	"cmp"
	"math"
	"slices"
)

// Direction is the verdict on a trend.
type Direction string

// The directions.
const (
	Steady       Direction = "steady"
	Up           Direction = "up"
	Down         Direction = "down"
	Insufficient Direction = "insufficient" // fewer than MinPasses values
)

// Test is a test of trends.
type Test string

// The tests. The rules prescribe the first; the official client also offers the others.
const (
	// MannKendallHamedRao is the test of Mann and Kendall with its variance corrected for autocorrelation by Hamed and Rao
	// ("A modified Mann-Kendall trend test for autocorrelated data", 1998). Unlike theirs, it uses plain ranks, in which
	// ties keep their order, and does not remove a slope first.
	MannKendallHamedRao Test = "mk_hamed_rao"
	MannKendall         Test = "mann_kendall"
	NeweyWest           Test = "newey_west"       // slope of a fitted line relative to its error by Newey and West
	TheilSen            Test = "theil_sen"        // median slope of all pairs, compared with 15 %
	SlopeOverScatter    Test = "slope_vs_scatter" // fitted line, compared with 15 % and with twice the scatter around it
)

// Tests returns all tests.
func Tests() []Test {
	return []Test{MannKendallHamedRao, MannKendall, NeweyWest, TheilSen, SlopeOverScatter}
}

// The limits of the tests without a p-value.
const (
	minRelative = 0.15
	minSignal   = 2
)

// Trend is the result of a test. Fields that a test does not compute are 0.
type Trend struct {
	Direction Direction
	Slope     float64 // per step
	Statistic float64 // S of Mann and Kendall, or the ratio of Newey and West
	P         float64 // NaN: the test has no p-value
	Variance  float64 // of S
	Change    float64 // change along the slope from the first value to the last, relative to the median
	Signal    float64 // that change divided by the scatter
}

// Of tests values in order of time.
func (t Test) Of(v []float64) Trend {
	if len(v) < MinPasses {
		return Trend{Direction: Insufficient, P: math.NaN()}
	}
	switch t {
	case MannKendall:
		return mannKendall(v, 1)
	case NeweyWest:
		return neweyWest(v)
	case TheilSen:
		slope := medianSlope(v)
		change := relativeChange(slope, v)
		return Trend{Direction: signDirection(slope, abs(change) >= minRelative), Slope: slope, P: math.NaN(), Change: change}
	case SlopeOverScatter:
		return slopeOverScatter(v)
	default:
		return mannKendall(v, varianceCorrection(v))
	}
}

// signDirection returns the direction of sign if the trend counts.
func signDirection(sign float64, counts bool) Direction {
	switch {
	case !counts || sign == 0:
		return Steady
	case sign > 0:
		return Up
	}
	return Down
}

// mannKendall runs the Mann-Kendall test with the variance multiplied by correction.
func mannKendall(v []float64, correction float64) Trend {
	s := 0.0
	for i := range v {
		for _, later := range v[i+1:] {
			s += float64(cmp.Compare(later, v[i]))
		}
	}
	n := float64(len(v))
	variance := n * (n - 1) * (2*n + 5)
	for _, t := range tieSizes(v) {
		variance -= t * (t - 1) * (2*t + 5)
	}
	variance = variance / 18 * correction
	if variance <= 0 {
		return Trend{Direction: signDirection(s, true), Statistic: s, Variance: variance}
	}
	z := (s - float64(cmp.Compare(s, 0))) / math.Sqrt(variance)
	p := twoSidedP(z)
	return Trend{Direction: signDirection(s, p < alpha), Statistic: s, P: p, Variance: variance}
}

// twoSidedP returns the probability that a standard normal value is at least as far from 0 as z, computed as 2 (1 -
// Phi(|z|)). Far from 0 it is exactly 0, like the official implementation's.
func twoSidedP(z float64) float64 { return 2 * (1 - (1+math.Erf(abs(z)/math.Sqrt2))/2) }

// tieSizes returns the sizes of the groups of equal values.
func tieSizes(v []float64) (sizes []float64) {
	counts := map[float64]float64{}
	for _, x := range v {
		counts[x]++
	}
	for _, n := range counts {
		sizes = append(sizes, n)
	}
	return sizes
}

// varianceCorrection returns Hamed and Rao's correction of the variance, from the significant autocorrelations of the
// ranks.
func varianceCorrection(v []float64) float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	n := len(v)
	d := make([]float64, n)
	for rank, i := range order {
		d[i] = float64(rank+1) - float64(n+1)/2
	}
	total := sumSquares(d, 0)
	sum := 0.0
	for k := 1; k < n; k++ {
		r := 0.0
		for t := k; t < n; t++ {
			r += d[t] * d[t-k]
		}
		if r /= total; abs(r) > normalQuantile/math.Sqrt(float64(n)) {
			sum += float64(n-k) * float64(n-k-1) * float64(n-k-2) * r
		}
	}
	c := 1 + 2*sum/(float64(n)*float64(n-1)*float64(n-2))
	if c <= 0 {
		return 1
	}
	return c
}

// medianSlope returns Sen's slope: the median of the slopes of all pairs.
func medianSlope(v []float64) float64 {
	var slopes []float64
	for i := range v {
		for j := i + 1; j < len(v); j++ {
			slopes = append(slopes, (v[j]-v[i])/float64(j-i))
		}
	}
	return medianOfAny(slopes)
}

// lineFit is a least-squares line through values at 0, 1, 2 ...
type lineFit struct {
	slope     float64
	residuals []float64
	x         []float64 // positions minus their mean
	xx        float64   // sum of the squares of x
}

// lineSlope returns the slope of the least-squares line.
func lineSlope(v []float64) float64 {
	m, x0, xy, xx := meanOf(v), float64(len(v)-1)/2, 0.0, 0.0
	for i, y := range v {
		x := float64(i) - x0
		xy += x * (y - m)
		xx += x * x
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

func fitLine(v []float64) lineFit {
	f := lineFit{slope: lineSlope(v), x: make([]float64, len(v)), residuals: make([]float64, len(v))}
	m := meanOf(v)
	for i, y := range v {
		f.x[i] = float64(i) - float64(len(v)-1)/2
		f.xx += f.x[i] * f.x[i]
		f.residuals[i] = y - (m + f.slope*f.x[i])
	}
	return f
}

func slopeOverScatter(v []float64) Trend {
	f := fitLine(v)
	noise := math.Sqrt(sumSquares(f.residuals, meanOf(f.residuals))/float64(len(v))) + 1e-9
	signal, change := abs(f.slope*float64(len(v)-1))/noise, relativeChange(f.slope, v)
	return Trend{Direction: signDirection(f.slope, abs(change) >= minRelative && signal >= minSignal), Slope: f.slope,
		P: math.NaN(), Change: change, Signal: signal}
}

// neweyWest compares the slope of a least-squares line with its standard error. The error accounts for
// heteroscedasticity and autocorrelation with Bartlett weights.
func neweyWest(v []float64) Trend {
	f, n := fitLine(v), len(v)
	u := make([]float64, n)
	for i := range u {
		u[i] = f.x[i] * f.residuals[i]
	}
	s := sumSquares(u, 0)
	lags := max(1, int(4*math.Pow(float64(n)/100, 2.0/9)))
	for k := 1; k <= min(lags, n-1); k++ {
		sum := 0.0
		for t := k; t < n; t++ {
			sum += u[t] * u[t-k]
		}
		s += 2 * (1 - float64(k)/float64(lags+1)) * sum
	}
	err := math.Sqrt(max(0, s/(f.xx*f.xx)))
	if err == 0 {
		return Trend{Direction: signDirection(f.slope, true), Slope: f.slope}
	}
	ratio := f.slope / err
	p := twoSidedP(ratio)
	return Trend{Direction: signDirection(f.slope, p < alpha), Slope: f.slope, Statistic: ratio, P: p}
}
