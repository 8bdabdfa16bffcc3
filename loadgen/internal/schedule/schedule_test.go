package schedule

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestSetsCoverAllSamplesOnce(t *testing.T) {
	for _, c := range []struct{ count, each, padding, sets int }{
		{100, 30, 0, 4}, {100, 30, 7, 4}, {5, 5, 0, 1}, {3, 10, 0, 1}, {20, 3, 7, 7}, {1, 1, 3, 1},
	} {
		sets := Sets(c.count, c.each, c.padding, Source(1, false))
		if len(sets) != c.sets {
			t.Errorf("%+v: %d sets", c, len(sets))
		}
		var all []uint32
		for _, s := range sets {
			all = append(all, s.Loaded[:s.Size]...)
			checkPadding(t, s, c.padding)
		}
		slices.Sort(all)
		for i, v := range all {
			if int(v) != i || len(all) != c.count {
				t.Fatalf("%+v: the sets hold %v", c, all)
			}
		}
	}
}

func checkPadding(t *testing.T, s Set, padding int) {
	t.Helper()
	if len(s.Loaded) != s.Size+padding {
		t.Errorf("%d loaded entries, want %d and %d of padding", len(s.Loaded), s.Size, padding)
	}
	for i := s.Size; i < len(s.Loaded); i++ {
		if s.Loaded[i] != s.Loaded[i-s.Size] {
			t.Errorf("padding %v does not repeat the set %v", s.Loaded[s.Size:], s.Loaded[:s.Size])
			return
		}
	}
}

func TestGenerateRefusesWhatCannotBe(t *testing.T) {
	set := Set{Loaded: []uint32{0, 1, 2}, Size: 3}
	year := int64(365 * 86400e9)
	for name, p := range map[string]Params{
		"too many queries":      {Scenario: SingleStream, Set: set, QPS: 1000, MinQueries: 1 << 33},
		"too long at this rate": {Scenario: SingleStream, Set: set, QPS: 1e9, MinDuration: year, MinQueries: 1},
		"no time passes":        {Scenario: SingleStream, Set: set, QPS: 1e12, MinDuration: 1, MinQueries: 1},
		"gaps of 0 ns":          {Scenario: Server, Set: set, QPS: 1e13, MinDuration: 1, MinQueries: 1},
		"Server for a year":     {Scenario: Server, Set: set, QPS: 1e6, MinDuration: year, MinQueries: 1},
		"centuries":             {Scenario: Server, Set: set, QPS: 1e-9, MinQueries: 9},
		"too many samples":      {Scenario: Offline, Set: set, QPS: 1, MinQueries: 1, SamplesPerQuery: 1 << 32},
		"wide queries":          {Scenario: MultiStream, Set: set, QPS: 1, MinQueries: 1 << 20, SamplesPerQuery: 1 << 20},
	} {
		if plan, err := Generate(p); !errors.Is(err, ErrTooMuch) {
			t.Errorf("%s: %d queries, error %v", name, plan.Queries, err)
		}
	}
}

func TestServerGapsAreExponential(t *testing.T) {
	const n, qps = 100000, 5000
	plan, err := Generate(Params{Scenario: Server, Set: Set{Loaded: []uint32{0}, Size: 1}, QPS: qps,
		MinQueries: n, ScheduleSeed: 3})
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	for i := 1; i < n; i++ {
		if plan.Scheduled[i]-plan.Scheduled[i-1] < 1e9/qps {
			below++
		}
	}
	// P[gap < mean] = 1 - 1/e; the bound is six standard deviations.
	if p := 1 - 1/math.E; math.Abs(float64(below)-p*n) > 6*math.Sqrt(n*p*(1-p)) {
		t.Errorf("%d of %d gaps are shorter than the mean, want about %.0f", below, n, p*n)
	}
	if mean := float64(plan.End) / n; math.Abs(mean*qps/1e9-1) > 0.02 {
		t.Errorf("mean gap %v ns, want about %v", mean, 1e9/qps)
	}
}

func TestSamplerChoosesItsShare(t *testing.T) {
	for _, p := range []float64{0, 0.1, 1} {
		chosen := NewSampler(11).Choose(20000, p)
		n := 0
		for i := range uint32(20000) {
			if chosen.Has(i) {
				n++
			}
		}
		if math.Abs(float64(n)-20000*p) > 300 {
			t.Errorf("probability %v: %d of 20000 chosen", p, n)
		}
	}
}

func TestSamplerSkipsWhatAccuracyUsed(t *testing.T) {
	a, b := NewSampler(5), NewSampler(5)
	a.Skip(100)
	b.Choose(100, 1)
	if !slices.Equal(a.Choose(500, 0.3), b.Choose(500, 0.3)) {
		t.Error("Skip consumed something else than Choose")
	}
}

func BenchmarkGenerateServer(b *testing.B) {
	p := Params{Scenario: Server, QPS: 1e6, MinQueries: 1e6, Set: Sets(1024, 1024, 0, Source(1, false))[0]}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Generate(p); err != nil {
			b.Fatal(err)
		}
	}
}
