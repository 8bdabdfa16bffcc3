package orderstat

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// of returns a slice as Values.
func of(values []int64) Values {
	return Values{N: len(values), Chunk: func(_ []int64, from, to int) []int64 { return values[from:to] }}
}

// shapes returns distributions of latencies. The results must not depend on the limits of buckets.
func shapes(n int) map[string][]int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(f func() int64) []int64 {
		v := make([]int64, n)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	ramp, i := draw(func() int64 { return 0 }), int64(0)
	for j := range ramp {
		ramp[j] = int64(j)
	}
	return map[string][]int64{
		"equal":                draw(func() int64 { return 77 }),
		"zero":                 draw(func() int64 { return 0 }),
		"uniform":              draw(func() int64 { return rng.Int64N(600e9) }),
		"exponential":          draw(func() int64 { return int64(rng.ExpFloat64() * 1e6) }),
		"narrow":               draw(func() int64 { return 1e9 + rng.Int64N(1000) }),
		"narrow with outlier":  draw(func() int64 { i++; return 1e6 + rng.Int64N(2000) + i%int64(n)/int64(n-1+1/n)*1e12 }),
		"two values":           draw(func() int64 { return 1000 + rng.Int64N(2)*1e9 }),
		"rising":               ramp,
		"whole range of int64": draw(func() int64 { return rng.Int64() }),
		"most at the end":      draw(func() int64 { return 1e12 - int64(rng.ExpFloat64()*1e3) }),
	}
}

func TestSelectEqualsSorting(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, maxSorted, maxSorted + 1, 100_000} {
		for name, values := range shapes(n) {
			check(t, name, values)
		}
	}
}

// TestSelectByManyWorkers uses enough values for several goroutines.
func TestSelectByManyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]int64, 2*perWorker+5)
	for i := range values {
		values[i] = int64(rng.ExpFloat64() * 1e6)
	}
	check(t, "exponential", values)
}

func check(t *testing.T, name string, values []int64) {
	t.Helper()
	n := len(values)
	ranks := []int{n / 2, n * 9 / 10, n - 1, 0, n - 1, n * 97 / 100, min(1, n-1)}
	m := Describe(of(values), values[0])
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for i, got := range Select(of(values), m, ranks) {
		if want := sorted[ranks[i]]; got != want {
			t.Errorf("%s, n = %d: rank %d is %d, want %d", name, n, ranks[i], got, want)
		}
	}
	above := n - sortedUpTo(sorted, values[0])
	if m.N != n || m.Min != sorted[0] || m.Max != sorted[n-1] || m.Above != above {
		t.Errorf("%s: %+v, want n %d, min %d, max %d, above %d", name, m, n, sorted[0], sorted[n-1], above)
	}
}

// sortedUpTo returns the number of sorted values that do not exceed limit.
func sortedUpTo(sorted []int64, limit int64) int {
	i, _ := slices.BinarySearch(sorted, limit+1)
	return i
}

func TestMeanBeyond64Bits(t *testing.T) {
	values := []int64{1<<63 - 1, 1<<63 - 1, 1<<63 - 1, 1<<63 - 2}
	if m := Describe(of(values), 0); m.Mean != 1<<63-2 {
		t.Errorf("mean %d, want %d", m.Mean, int64(1<<63-2))
	}
}

func TestNothing(t *testing.T) {
	if m := Describe(of(nil), 0); m != (Moments{}) {
		t.Errorf("%+v, want zeros", m)
	}
	if v := Select(of(nil), Moments{}, []int{0}); v[0] != 0 {
		t.Errorf("%v, want 0", v)
	}
}

func TestBucketsTile(t *testing.T) {
	next := int64(0)
	for b := range buckets {
		lo, hi := Bounds(b, mantissa)
		if lo != next || Bucket(uint64(lo), mantissa) != b || Bucket(uint64(hi), mantissa) != b {
			t.Fatalf("bucket %d is %d..%d, want it to begin at %d", b, lo, hi, next)
		}
		if next = hi + 1; hi == 1<<63-1 {
			return
		}
	}
	t.Fatalf("the buckets end at %d", next)
}

func FuzzSelect(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, each uint16) {
		var values []int64
		for ; len(data) >= 4; data = data[4:] {
			v := int64(binary.LittleEndian.Uint32(data)) << (data[0] % 31)
			for range int(each)%9000 + 1 {
				values = append(values, v)
			}
		}
		if len(values) > 0 && len(values) < 1<<19 {
			check(t, "fuzzed", values)
		}
	})
}

// BenchmarkPercentiles describes 10 million latencies and finds the six percentiles of the logs.
func BenchmarkPercentiles(b *testing.B) {
	const n = 10_000_000
	all := shapes(n)
	for _, name := range []string{"rising", "exponential", "narrow", "equal", "most at the end"} {
		values := all[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := Describe(of(values), 1e6)
				Select(of(values), m, []int{n / 2, n * 9 / 10, n * 95 / 100, n * 97 / 100, n * 99 / 100, n * 999 / 1000})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
	}
}

func TestMax(t *testing.T) {
	for _, n := range []int{0, 1, 5000, 3 << 20} {
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(i*7919%104729) - 5
		}
		want := int64(0)
		for _, v := range values {
			want = max(want, v)
		}
		got := Max(Values{N: n, Chunk: func(_ []int64, from, to int) []int64 { return values[from:to] }})
		if got != want {
			t.Errorf("%d values: %d, want %d", n, got, want)
		}
	}
}
