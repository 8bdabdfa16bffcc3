package endpoints

import (
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenRegions(t *testing.T) {
	rules := NewestRules()
	golden.Each(t, "endpoints/regions.jsonl", func(t *testing.T, path string) {
		type row struct {
			CMax     int `json:"c_max"`
			CMin     int `json:"c_min"`
			Override bool
			Bounds   map[Region][2]int
			UltraLow [2]int `json:"ultra_low"`
			Of       map[string][4]any
		}
		for _, c := range golden.ReadLines[row](t, path) {
			g, err := rules.RegionsOf(c.CMax, c.CMin, c.Override)
			if err != nil {
				t.Fatal(err)
			}
			c.Bounds[UltraLow] = c.UltraLow
			for region, want := range c.Bounds {
				if got := g.Bounds(region); got != (Bounds{want[0], want[1]}) {
					t.Errorf("%d, %d: %s is %v, want %v", c.CMax, c.CMin, region, got, want)
				}
			}
			for text, want := range c.Of {
				at, _ := strconv.Atoi(text)
				got := [4]any{orNil(g.RegionAt(at)), orNil(g.CoveredRegion(at)), float64(g.MinSeconds(at, false) * 1000),
					float64(g.MinSeconds(at, true) * 1000)}
				if got != want {
					t.Errorf("%d, %d: %d is %v, want %v", c.CMax, c.CMin, at, got, want)
				}
			}
		}
	})
	for _, bad := range [][2]int{{32, 1}, {100, 0}, {100, 33}} {
		if _, err := rules.RegionsOf(bad[0], bad[1], false); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// orNil is nil of no region.
func orNil(r Region) any {
	if r == "" {
		return nil
	}
	return string(r)
}

func TestCohorts(t *testing.T) {
	for text, want := range map[string]string{"2026-10-C0": "2026-10-C1", "2026-12-C1": "2027-01-C0",
		"2026-11-C1": "2026-12-C0"} {
		c, ok := ParseCohort(text)
		if got := c.Later(1).String(); !ok || got != want {
			t.Errorf("after %s: %s, want %s", text, got, want)
		}
	}
	for _, bad := range []string{"", "2026-13-C0", "2026-00-C1", "2026-10-C2", "2026-1-C0", "x2026-10-C0"} {
		if _, ok := ParseCohort(bad); ok {
			t.Errorf("%q is taken for a cohort", bad)
		}
	}
}

func TestCanonicalName(t *testing.T) {
	for name, want := range map[string]string{"llama3.1-8b": "llama3_1-8b", "meta/Llama 3": "Llama_3", "a..b_": "a_b",
		"": ""} {
		if got := CanonicalName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestRulesAreWhole: a file of rules that lacks a row is refused at the start.
func TestRulesAreWhole(t *testing.T) {
	for _, bad := range []string{`{"models":["x"]}`, `{"models":["x"],"performance_sets":{"x":1}}`,
		`{"seed_cohort":"2026-1"}`,
		`{"unknown":1}`, ``} {
		if _, err := ReadRules([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
