package earlystop

import "math"

// binomialCDF returns P[X <= t] for X ~ Binomial(n, q), precise to about 13 digits for n up to 2^40.
func binomialCDF(n, t uint64, q float64) float64 {
	if t >= n {
		return 1
	}
	if float64(t) <= float64(n)*q {
		return lowerTail(n, t, q)
	}
	return 1 - upperTail(n, t+1, q)
}

// lowerTail sums P[X = k] for k = t, t-1, ... Below the mean the terms decrease, and it stops at terms below the last
// digit.
func lowerTail(n, t uint64, q float64) float64 {
	odds := (1 - q) / q
	term, sum := 1.0, 1.0
	for k := t; k > 0 && term > sum*1e-18; k-- {
		term *= float64(k) / float64(n-k+1) * odds
		sum += term
	}
	return sum * binomialPMF(n, t, q)
}

// upperTail sums P[X = k] for k = t, t+1, ..., n. t must be above the mean.
func upperTail(n, t uint64, q float64) float64 {
	odds := q / (1 - q)
	term, sum := 1.0, 1.0
	for k := t; k < n && term > sum*1e-18; k++ {
		term *= float64(n-k) / float64(k+1) * odds
		sum += term
	}
	return sum * binomialPMF(n, t, q)
}

// binomialPMF returns P[X = t] for X ~ Binomial(n, q). It uses Loader's saddle-point form ("Fast and Accurate
// Computation of Binomial Probabilities", 2000), because differences of log-gamma values would lose seven digits at n =
// 10^8.
func binomialPMF(n, t uint64, q float64) float64 {
	x, m, y := float64(t), float64(n), float64(n-t)
	switch t {
	case 0:
		return math.Exp(m * math.Log1p(-q))
	case n:
		return math.Exp(m * math.Log(q))
	}
	exponent := stirlingError(m) - stirlingError(x) - stirlingError(y) - devianceTerm(x, m*q) - devianceTerm(y, m*(1-q))
	return math.Exp(exponent) * math.Sqrt(m/(2*math.Pi*x*y))
}

// stirlingError returns log(n!) minus Stirling's approximation of it.
func stirlingError(n float64) float64 {
	if n < 16 {
		g, _ := math.Lgamma(n + 1)
		return g - (n+0.5)*math.Log(n) + n - 0.5*math.Log(2*math.Pi)
	}
	s := 1 / (n * n)
	return (1.0/12 - s*(1.0/360-s*(1.0/1260-s*(1.0/1680-s/1188)))) / n
}

// devianceTerm returns x log(x/m) + m - x without cancellation near x = m.
func devianceTerm(x, m float64) float64 {
	if math.Abs(x-m) > 0.1*(x+m) {
		return x*math.Log(x/m) + m - x
	}
	// With v = (x-m)/(x+m), log(x/m) = 2 (v + v^3/3 + v^5/5 + ...).
	v := (x - m) / (x + m)
	sum := (x - m) * v
	term := 2 * x * v
	for j := 3.0; ; j += 2 {
		term *= v * v
		next := sum + term/j
		if next == sum {
			return sum
		}
		sum = next
	}
}
