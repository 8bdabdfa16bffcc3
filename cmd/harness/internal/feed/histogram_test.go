package feed

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBucketsTile(t *testing.T) {
	for i := range bucketCount - 1 {
		if i >= bucketIndex(math.MaxInt64) { // its bound is beyond
			break
		}
		if got := bucketIndex(bucketBound(i)); got != i {
			t.Fatalf("the bound of bucket %d is in bucket %d", i, got)
		}
		if bucketBound(i) < math.MaxInt64 && bucketIndex(bucketBound(i)+1) != i+1 {
			t.Fatalf("what follows bucket %d is in bucket %d", i, bucketIndex(bucketBound(i)+1))
		}
	}
}

func TestCoarseBounds(t *testing.T) {
	all := CoarseBounds()
	if all[0] != 1024 || all[len(all)-1] != 1<<40 || len(all) != 241 {
		t.Errorf("%d bounds from %v to %v", len(all), all[0], all[len(all)-1])
	}
	for i, b := range all {
		if bucketBound(bucketIndex(b)) != b {
			t.Errorf("%v is no bound", b)
		}
		if i > 0 && float64(b)/float64(all[i-1]) > 1.126 {
			t.Errorf("%v and %v are far apart", all[i-1], b)
		}
	}
}

func FuzzHistogram(f *testing.F) {
	f.Add(int64(5), int64(1<<20), int64(3e9), 0.5)
	f.Fuzz(func(t *testing.T, a, b, c int64, p float64) {
		if !(p >= 0 && p <= 1) {
			return
		}
		var h Histogram
		var all []time.Duration
		for _, v := range []int64{a, b, c} {
			if v < 0 || v > math.MaxInt64/4 {
				return
			}
			h.Add(time.Duration(v))
			all = append(all, time.Duration(v))
		}
		slices.Sort(all)
		want := all[min(2, int(3*p))]
		if got := h.Percentile(p); got < want || float64(got) > float64(want)*(1+1.0/64)+1 {
			t.Errorf("percentile %v of %v is %v, want %v", p, all, got, want)
		}
		if h.N != 3 || h.Max != all[2] || h.Sum != float64(a)+float64(b)+float64(c) {
			t.Errorf("%+v of %v", h, all)
		}
		var within uint64
		for _, v := range all {
			if v <= time.Second+73741824 {
				within++
			}
		}
		if got := h.CountUpTo([]time.Duration{1 << 30}); got[0] != within {
			t.Errorf("%d of %v are up to 2^30 ns, want %d", got[0], all, within)
		}
	})
}

// TestTooFew names the percentiles that the values are too few for, of any target.
func TestTooFew(t *testing.T) {
	for n, want := range map[int][2]string{ // without a target, and with one of 97 %
		1: {"p50_ns p90_ns p99_ns p999_ns", "p50_ns p90_ns p99_ns p999_ns target_ns"},
		2: {"p90_ns p99_ns p999_ns", "p90_ns p99_ns p999_ns target_ns"}, 10: {"p99_ns p999_ns", "p99_ns p999_ns target_ns"},
		34: {"p99_ns p999_ns", "p99_ns p999_ns"}, 99: {"p99_ns p999_ns", "p99_ns p999_ns"},
		100: {"p999_ns", "p999_ns"}, 1000: {"", ""},
	} {
		var h Histogram
		for i := range n {
			h.Add(time.Duration(i + 1))
		}
		for i, percentile := range []float64{0, .97} {
			if got := strings.Join(toPercentiles(&h, percentile).TooFew, " "); got != want[i] {
				t.Errorf("%d values, target %v: %s, want %s", n, percentile, got, want[i])
			}
		}
	}
}

func TestNothingAdded(t *testing.T) {
	var h Histogram
	if h.Percentile(0.99) != 0 || h.CountUpTo([]time.Duration{1024})[0] != 0 {
		t.Error("an empty histogram has times")
	}
	h.Add(5)
	if h.Reset(); h.N != 0 || h.Percentile(0.5) != 0 {
		t.Errorf("%+v after Reset", h)
	}
}
