package plot

import (
	"fmt"
	"slices"
)

// Window returns a chart of a run's requests per second with the steady window of the run. Value k covers the time from
// ends[k] to ends[k+1]. All times are in seconds since the first request.
func Window(name string, ends, perSec []float64, window Shade) Chart {
	l := Line{Step: true}
	join := (len(perSec) + maxSteps - 1) / maxSteps
	for from := 0; from < len(perSec); from += join {
		to := min(from+join, len(perSec))
		sum := 0.0
		for k := from; k < to; k++ {
			sum += perSec[k] * (ends[k+1] - ends[k])
		}
		l.X, l.Y = append(l.X, ends[from]*1e9), append(l.Y, sum/(ends[to]-ends[from]))
	}
	last := l.Y[len(l.Y)-1]
	l.X, l.Y = append(l.X, ends[len(ends)-1]*1e9), append(l.Y, last)
	shade := Shade{From: window.From * 1e9, To: window.To * 1e9}
	return Chart{
		ID: "window", Title: "Steady window of " + name, Lines: []Line{l}, Hover: stepHovers(l, " requests/s"),
		Shades: []Shade{shade}, Marks: []Mark{{At: shade.From, Vertical: true}, {At: shade.To, Vertical: true}},
		X: Axis{Label: "time", Of: Elapsed, Exact: true}, Y: Axis{Label: "requests/s", Max: slices.Max(l.Y)},
		Alt: fmt.Sprintf("%s to %s requests sent per second; shaded: the window, from %s to %s of %s.",
			formatFigure(slices.Min(l.Y)), formatFigure(slices.Max(l.Y)), Duration(int64(shade.From)),
			Duration(int64(shade.To)), Duration(int64(l.X[len(l.X)-1]))),
	}
}
