package generate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLogProbsAreThoseOfTheSum compares log probabilities of rows of different spreads with sums of math.Exp.
func TestLogProbsAreThoseOfTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []float64{0, 1e-3, 1, 30, 1e4} {
		x := make([]float32, 1000)
		for i := range x {
			x[i] = float32(spread * r.NormFloat64())
		}
		x[5] = float32(math.Inf(-1))
		most, sum := float64(slices.Max(x)), 0.0
		for _, v := range x {
			sum += math.Exp(float64(v) - most)
		}
		got, err := newTokenScores(x, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range x {
			want := float64(v) - most - math.Log(sum)
			if d := math.Abs(float64(got.logProb(v)) - want); d > 1e-6*(1+math.Abs(want)) && v-v == 0 {
				t.Fatalf("spread %v: log probability of %v is %v, want %v", spread, v, got.logProb(v), want)
			}
		}
	}
}

// TestNoTokenIsPassedOver checks minValue and indexAtLeast against the tokens that they exclude.
func TestNoTokenIsPassedOver(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		x := make([]float32, 1+r.IntN(20))
		for i := range x {
			x[i] = float32(10 * r.NormFloat64())
		}
		got, err := newTokenScores(x, false)
		if err != nil {
			t.Fatal(err)
		}
		p := float32(-20 * r.Float64())
		left := map[int]bool{}
		for i := indexAtLeast(x, 0, got.minValue(p)); i < len(x); i = indexAtLeast(x, i+1, got.minValue(p)) {
			left[i] = true
		}
		for i, v := range x {
			if got.logProb(v) > p && !left[i] {
				t.Fatalf("token %d of %v, of log probability %v, is left out at %v", i, x, got.logProb(v), p)
			}
		}
	}
}

func TestRowsThatAreNoNumbers(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, x := range [][]float32{{}, {nan, nan}, {1, nan}, {1, inf}, {-inf, -inf}} {
		if _, err := newTokenScores(x, false); err == nil {
			t.Errorf("logits %v: no error", x)
		}
	}
	for _, x := range [][]float32{{}, {nan, nan}} {
		if _, err := newTokenScores(x, true); err == nil {
			t.Errorf("log probabilities %v: no error", x)
		}
	}
}
