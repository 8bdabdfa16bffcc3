package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Values compared against scipy.stats.mannwhitneyu: exact without ties, all combinations counted with ties, and the
// asymptotic one.
func TestMannWhitney(t *testing.T) {
	var many, more []float64
	for i := range 50 {
		many = append(many, math.Round(float64(i*37%101)/7*100)/100)
	}
	for i := range 40 {
		more = append(more, math.Round(float64(i*53%97)/6.5*10)/10)
	}
	for name, c := range map[string]struct {
		a, b []float64
		want float64
	}{
		"apart":    {[]float64{1, 2, 3, 4, 5, 6, 7}, []float64{8, 9, 10, 11, 12, 13, 14}, 0.0005827505827505828},
		"mixed":    {[]float64{1.5, 2, 3.1, 4, 9}, []float64{2.5, 3, 7, 8, 10, 11}, 0.24675324675324672},
		"four":     {[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 0.02857142857142857},
		"two":      {[]float64{1, 2}, []float64{3, 4}, 1. / 3},
		"ties":     {[]float64{1, 2, 2, 3, 5}, []float64{2, 3, 4, 4, 5, 6}, 0.16883116883116883},
		"many":     {many, more, 0.7300177151462885},
		"one each": {[]float64{1}, []float64{2}, 1},
		"equal":    {[]float64{97, 97, 97, 97}, []float64{97, 97, 97, 97}, 1},
		"none":     {nil, []float64{1}, 1},
	} {
		if got := mannWhitney(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if got := mannWhitney(c.b, c.a); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s, the other way round: %v, want %v", name, got, c.want)
		}
	}
}

// TestManyValuesAgreeWithFew: the normal distribution takes over where it is as good.
func TestManyValuesAgreeWithFew(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var a, b []float64
		for range maxExact / 2 {
			a, b = append(a, random.NormFloat64()), append(b, random.NormFloat64()+0.5)
		}
		ranks := doubledRanks(a, b)
		sum := 0
		for _, r := range ranks[:len(a)] {
			sum += r
		}
		exact, normal := exactP(ranks, sum, len(a)), normalP(ranks, sum, len(a))
		if math.Abs(exact-normal) > 0.01 {
			t.Errorf("exact %v, normal %v", exact, normal)
		}
	}
}

func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{1, 1, 1}, {3, 3, 0.1}, {4, 4, 2. / 70}, {7, 7, 2. / 3432}, {1, 39, 0.05}, {2, 8, 2. / 45}} {
		if got := smallestP(c.n, c.m); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d and %d: %v, want %v", c.n, c.m, got, c.want)
		}
	}
}
