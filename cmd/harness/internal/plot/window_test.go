package plot

import (
	"slices"
	"strings"
	"testing"
)

// TestWindow: the window is shaded between its two marks, and many super-passes are joined without a change of the sum.
func TestWindow(t *testing.T) {
	c := Window("A/r4", []float64{0, 2, 7, 12, 13}, []float64{1, .4, .4, 2}, Shade{From: 2, To: 11})
	if l := c.Lines[0]; !slices.Equal(l.X, []float64{0, 2e9, 7e9, 12e9, 13e9}) ||
		!slices.Equal(l.Y, []float64{1, .4, .4, 2, 2}) {
		t.Errorf("%+v", l)
	}
	if !slices.Equal(c.Shades, []Shade{{From: 2e9, To: 11e9}}) || len(c.Marks) != 2 ||
		c.Marks[1].At != 11e9 || !c.Marks[1].Vertical {
		t.Errorf("%+v %+v", c.Shades, c.Marks)
	}
	if svg, err := c.SVG(); err != nil || strings.Count(string(svg), `class="f ps"`) != 1 {
		t.Errorf("no shade (%v)", err)
	}
	want := "0.400 to 2.00 requests sent per second; shaded: the window, from 2.00 s to 11.0 s of 13.0 s."
	if c.Alt != want {
		t.Errorf("%q, want %q", c.Alt, want)
	}
	ends, rates := []float64{0}, []float64(nil)
	for i := range 1000 {
		ends, rates = append(ends, float64(i+1)), append(rates, float64(i%2))
	}
	l := Window("many", ends, rates, Shade{From: 100, To: 900}).Lines[0]
	sum := 0.0
	for k := range len(l.X) - 1 {
		sum += l.Y[k] * (l.X[k+1] - l.X[k]) / 1e9
	}
	if len(l.X) > maxSteps+1 || sum < 499.999 || sum > 500.001 {
		t.Errorf("%d steps, %v requests", len(l.X)-1, sum)
	}
}
