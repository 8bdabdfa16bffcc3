package plot

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSearch: the trials of a search are a curve in the order of their loads, with those that missed as rings.
func TestSearch(t *testing.T) {
	trials := []Trial{{100, 5e6, true}, {400, 90e6, false}, {200, 8e6, true}, {300, 14e6, true}, {350, 17e6, false}}
	c, ok := Search("queries/s that are due", .99, trials, 15e6)
	if !ok {
		t.Fatal("no chart")
	}
	check(t, "search", c)
	l := c.Lines[0]
	if !slices.Equal(l.X, []float64{100, 200, 300, 350, 400}) || l.Knots[2].Hollow || !l.Knots[3].Hollow {
		t.Errorf("%+v", l)
	}
	for _, want := range []string{"3 of 5 trials meet the limit", "5.00 ms to 90.0 ms", "100 to 400"} {
		if !strings.Contains(c.Alt, want) {
			t.Errorf("%q does not say %q", c.Alt, want)
		}
	}
	if _, ok := Search("x", .99, trials[:1], 0); ok {
		t.Error("one trial is a curve")
	}
	if _, ok := Search("x", .99, []Trial{{8, 1, true}, {8, 2, true}}, 0); ok {
		t.Error("one load is a curve")
	}
}

// TestSettings: settings are lines of what they have in common, the fastest first, with a mark for none at all.
func TestSettings(t *testing.T) {
	var tried []Tried
	for s := range 10 {
		for b := 1; b <= 32; b *= 2 {
			tried = append(tried, Tried{fmt.Sprintf("%d sessions", s+1), float64(b), float64(100*(s+1) + b), "words", s == 0})
		}
	}
	c, ok := Settings("samples in a batch", tried, 950)
	if !ok {
		t.Fatal("no chart")
	}
	check(t, "settings", c)
	l := c.Lines[0]
	if len(c.Lines) != maxLines || l.Name != "10 sessions" || !slices.Equal(l.X, []float64{1, 2, 4, 8, 16, 32}) ||
		l.Y[0] != 1001 || l.Y[5] != 1032 || c.X.Scale != Log || len(c.Marks) != 1 {
		t.Errorf("%+v", c)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "12 more") || !strings.Contains(c.Alt, "60 settings reach") {
		t.Errorf("%q, %q", c.Notes, c.Alt)
	}
	if _, ok := Settings("x", tried[:1], 0); ok {
		t.Error("one setting is a curve")
	}
	if _, ok := Settings("x", nil, 7); ok {
		t.Error("nothing is a curve")
	}
}
