package confidence

import (
	"math"
	"testing"
)

// TestTable holds Queries to the tables of the rules v0.5 and v0.7 and of the paper.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		percentile, margin float64
		queries, rounded   uint64
	}{
		{0.90, 0.0050, 23886, 3 * 8192},
		{0.95, 0.0025, 50425, 7 * 8192},
		{0.97, 0.0015, 85811, 11 * 8192},
		{0.99, 0.0005, 262742, 33 * 8192},
	} {
		if m := Margin(c.percentile); math.Abs(m-c.margin) > 1e-12 {
			t.Errorf("margin at %v: %v, want %v", c.percentile, m, c.margin)
		}
		n := Queries(c.percentile)
		if n != c.queries || Rounded(n) != c.rounded {
			t.Errorf("at %v: %d queries, rounded %d; want %d and %d", c.percentile, n, Rounded(n), c.queries, c.rounded)
		}
	}
}

func TestRounded(t *testing.T) {
	for n, want := range map[uint64]uint64{0: 0, 1: 8192, 8192: 8192, 8193: 16384} {
		if got := Rounded(n); got != want {
			t.Errorf("Rounded(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestNormsInv compares with scipy.stats.norm.ppf (scipy 1.17.1).
func TestNormsInv(t *testing.T) {
	for p, want := range map[float64]float64{0.005: -2.575829303548901, 0.025: -1.9599639845400545, 0.5: 0, 0.999: 3.090232306167813} {
		if got := normsInv(p); math.Abs(got-want) > 1e-12 {
			t.Errorf("normsInv(%v) = %v, want %v", p, got, want)
		}
	}
}

// TestMoreConfidenceNeedsMoreQueries checks the direction of each argument.
func TestMoreConfidenceNeedsMoreQueries(t *testing.T) {
	base := QueriesFor(0.99, 0.99, 0.0005)
	if QueriesFor(0.99, 0.95, 0.0005) >= base || QueriesFor(0.99, 0.99, 0.001) >= base || QueriesFor(0.999, 0.99, 0.0005) >= base {
		t.Error("a lower confidence, a wider margin or a smaller spread needs fewer queries")
	}
}
