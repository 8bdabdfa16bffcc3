package mt19937

import (
	"math"
	"slices"
	"testing"
)

// The C++ standard fixes the 10,000th output of a generator with the default seed ([rand.predef]).
func TestTenThousandthOutput(t *testing.T) {
	s := New(DefaultSeed)
	for range 9999 {
		s.Uint32()
	}
	if got := s.Uint32(); got != 4123659995 {
		t.Errorf("10,000th output %d, want 4123659995", got)
	}
}

func TestSeedIsTakenModulo32Bits(t *testing.T) {
	if a, b := New(7).Uint32(), New(7+5<<32).Uint32(); a != b {
		t.Errorf("first outputs %d and %d of seeds that differ above 32 bits, want equal", a, b)
	}
}

func TestBelowStaysBelow(t *testing.T) {
	s := New(1)
	for _, n := range []uint32{1, 2, 3, 10, 1 << 16, 1<<31 + 1, math.MaxUint32} {
		for range 1000 {
			if v := s.Below(n); v >= n {
				t.Fatalf("Below(%d) = %d", n, v)
			}
		}
	}
}

// Below is uniform: each of 10 values comes up in a tenth of the draws. The bound is six standard deviations.
func TestBelowIsUniform(t *testing.T) {
	const draws = 100000
	var count [10]int
	s := New(3)
	for range draws {
		count[s.Below(10)]++
	}
	for v, n := range count {
		if math.Abs(float64(n)-draws/10) > 6*math.Sqrt(draws*0.1*0.9) {
			t.Errorf("%d came up %d times of %d", v, n, draws)
		}
	}
}

func TestFloat64IsInUnitInterval(t *testing.T) {
	s := New(2)
	sum := 0.0
	for range 10000 {
		u := s.Float64()
		if u < 0 || u >= 1 {
			t.Fatalf("Float64() = %v", u)
		}
		sum += u
	}
	if mean := sum / 10000; math.Abs(mean-0.5) > 0.02 {
		t.Errorf("mean %v, want about 0.5", mean)
	}
}

func FuzzShuffle(f *testing.F) {
	for _, n := range []int{0, 1, 2, 3, 64, 1001, minSingleDraw - 1, minSingleDraw} {
		f.Add(n, uint64(n)*7)
	}
	f.Fuzz(func(t *testing.T, n int, seed uint64) {
		if n < 0 || n > 1<<17 {
			t.Skip("the length is not one that takes a moment")
		}
		v := make([]int, n)
		for i := range v {
			v[i] = i
		}
		a, b := New(seed), New(seed)
		Shuffle(a, v)
		b.SkipShuffle(n)
		if a.Uint32() != b.Uint32() {
			t.Error("SkipShuffle consumed something else than Shuffle")
		}
		slices.Sort(v)
		for i := range v {
			if v[i] != i {
				t.Fatalf("after the shuffle %d is missing or doubled", i)
			}
		}
	})
}

func BenchmarkUint32(b *testing.B) {
	s := New(1)
	for b.Loop() {
		s.Uint32()
	}
}
