package figure

import (
	"math"
	"strconv"
	"testing"
	"time"
)

func TestRound(t *testing.T) {
	cases := []struct {
		v    float64
		want string
	}{
		{0, "0"},
		{3.1516234, "3.1516"},
		{3.15, "3.1500"},
		{312.33499, "312.33"},
		{99999.4, "99999"},
		{99999.6, "100000"},
		{123456.7, "123460"},
		{1.00005, "1.0001"}, // the float64 is a little above the tie
		{0.00012345678, "0.00012346"},
		{16384.5, "16384"}, // a tie: to even
		{16385.5, "16386"}, // a tie: to even
		{1.0000152587890625, "1.0000"},
		{-2.71828182, "-2.7183"},
		{math.Inf(1), "+Inf"},
		{math.NaN(), "NaN"},
	}
	for _, c := range cases {
		if got := Round(c.v); got != c.want {
			t.Errorf("Round(%v) = %s, want %s", c.v, got, c.want)
		}
	}
}

func FuzzRound(f *testing.F) {
	f.Add(3.1516234)
	f.Add(99999.5)
	f.Add(1e-300)
	f.Add(-1e300)
	f.Fuzz(func(t *testing.T, v float64) {
		got, err := strconv.ParseFloat(Round(v), 64)
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return
		case err != nil:
			t.Fatalf("Round(%v): %v", v, err)
		case math.Abs(got-v) > 0.5000001e-4*math.Abs(v) && math.Abs(v) > 1e-300:
			t.Errorf("Round(%v) = %v: more than half of the fifth figure away", v, got)
		case Round(got) != Round(v):
			t.Errorf("rounding %v twice gives %s, once %s", v, Round(got), Round(v))
		}
	})
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		99: "99", 99.9: "99.9", 15: "15", 0.123456: "0.123", 1000: "1000", 123456: "123456", 0: "0", 0.00001: "0.00001",
	} {
		if got := Short(v); got != want {
			t.Errorf("Short(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	cases := map[time.Duration]string{
		0: "0.0 s", 85 * time.Millisecond: "85 ms", 300 * time.Microsecond: "0.3 ms", 12340 * time.Millisecond: "12.3 s",
		605 * time.Second: "10 min 5 s", time.Hour: "1 h", 2*time.Hour + 3*time.Second: "2 h 3 s",
	}
	for d, want := range cases {
		if got := Seconds(d); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestCountAndBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1,000", 270336: "270,336", 1234567890: "1,234,567,890",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1234: "1.2 kB", 102470000: "102 MB", 25_300_000_000: "25.3 GB", 3e15: "3000 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}
