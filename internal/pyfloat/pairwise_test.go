package pyfloat

import (
	"math"
	"testing"
)

// TestSumIsNumPys compares bit by bit with numpy.sum (2.4) of 1/(1 + i*7919 mod n), i = 0 ... n-1. For most of these,
// adding in order gives other last bits.
func TestSumIsNumPys(t *testing.T) {
	tests := []struct {
		n    int
		want float64
	}{
		{5, 2.283333333333333}, {8, 2.7178571428571425}, {100, 5.18737751763962}, {129, 5.440899030573668},
		{1000, 7.485470860550346}, {3001, 8.584083112218433},
	}
	for _, tt := range tests {
		v := make([]float64, tt.n)
		for i := range v {
			v[i] = 1 / float64(1+i*7919%tt.n)
		}
		if got := Sum(v); got != tt.want {
			t.Errorf("sum of %d: %v, want %v", tt.n, got, tt.want)
		}
		if got := Mean(v); got != tt.want/float64(tt.n) {
			t.Errorf("mean of %d: %v, want %v", tt.n, got, tt.want/float64(tt.n))
		}
	}
}

func TestOfNothing(t *testing.T) {
	if got := Sum(nil); got != 0 {
		t.Errorf("sum %v, want 0", got)
	}
	if got := Mean(nil); !math.IsNaN(got) {
		t.Errorf("mean %v, want NaN", got)
	}
}
