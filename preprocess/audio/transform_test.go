package audio

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestTransform compares with the sums that define it.
func TestTransform(t *testing.T) {
	for _, size := range []int{2, 4, 5, 8, 10, 20, 50, 400, 512} {
		x := make([]complex128, size)
		for i := range x {
			x[i] = complex(float64(i*i%77)-30, float64(i*i*i%91)-45)
		}
		want := make([]complex128, size)
		for k := range want {
			for i, v := range x {
				want[k] += v * cmplx.Rect(1, -2*math.Pi*float64(i*k%size)/float64(size))
			}
		}
		for k, got := range newFourierTransform(size).transform(x) {
			if cmplx.Abs(got-want[k]) > 1e-9 {
				t.Fatalf("size %d, bin %d: %v, want %v", size, k, got, want[k])
			}
		}
	}
}
