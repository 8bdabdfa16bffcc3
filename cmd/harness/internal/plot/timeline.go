package plot

import (
	"fmt"
	"slices"
)

// TimelineEntry is the figure of one entry of a timeline.
type TimelineEntry struct {
	Value float64
	Words string // say when it was, and what was measured
	// Change is the verdict of a change that is larger than the spread: "worse"; empty: there is none.
	Change string
	// Invalid says that runs of the entry are INVALID or failed.
	Invalid bool
}

// Timeline is the chart of a figure over its entries, oldest first. Entries with a change have a square and its
// verdict. ok is false for fewer than two entries.
func Timeline(id, title, label string, entries []TimelineEntry) (c Chart, ok bool) {
	c = Chart{ID: id, Title: title, X: Axis{Label: "entry, oldest first", Whole: true, Exact: true},
		Y: Axis{Label: label}, Rings: "with INVALID or failed runs"}
	if len(entries) < 2 {
		return c, false
	}
	var l Line
	changes := 0
	for i, e := range entries {
		l.X, l.Y = append(l.X, float64(i+1)), append(l.Y, e.Value)
		l.Knots = append(l.Knots, Knot{Name: e.Change, Words: e.Words, Hollow: e.Invalid, Framed: e.Change != ""})
		if e.Change != "" {
			changes++
		}
	}
	c.Lines = []Line{l}
	low, high := slices.Min(l.Y), slices.Max(l.Y)
	c.Alt = fmt.Sprintf("%d entries from %s to %s, the newest %s; %d with a change larger than the spread.", len(entries),
		formatFigure(low), formatFigure(high), formatFigure(l.Y[len(l.Y)-1]), changes)
	if room := .12 * (high - low); room > 0 { // for the words of changes
		c.Y.Min, c.Y.Max = max(0, low-room), high+room
	}
	c.X.Min, c.X.Max = .5, float64(len(entries))+.5
	return c, true
}
