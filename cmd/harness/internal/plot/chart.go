package plot

import (
	"slices"
	"strings"
)

// Chart is a chart of points, bands and lines, or of rows. It must contain at least one value. Times are in
// nanoseconds.
type Chart struct {
	ID    string // unique within a run: "latency"
	Title string
	// Of names the runs in the chart. It is below the title of a standalone picture.
	Of string
	// Alt describes the chart in words, for readers who cannot see it.
	Alt   string
	X, Y  Axis
	Dots  *Dots
	Band  *Band
	Lines []Line
	Rows  []Row // with rows, X is the axis of their values, and Y is not shown
	Marks []Mark
	// Rings says what hollow knots are: "misses the limit". The key shows it if the chart has any.
	Rings string
	// Shades contains ranges of X with another background.
	Shades []Shade
	Hover  []Hover
	Notes  []string // phrases on facts that the axes do not show
}

// Shade is a range of X. Parts outside of the axis are not shown.
type Shade struct {
	From, To float64
	Name     string // label inside the range, if it fits
	Clear    bool   // only the name, without a background
}

// Axis is one of a chart's two axes.
type Axis struct {
	Label    string // the subject: "latency"; units of times are added
	Scale    Scale
	Of       Quantity
	Whole    bool    // whole numbers: no fractions between ticks
	Exact    bool    // ends at the values, not at ticks
	Doubling bool    // of users and the like: ticks of Log are at powers of two
	Min, Max float64 // minimum span, extended for values and marks; the start of a Log axis is Min
}

// Scale is the spacing of values along an axis.
type Scale int

// The scales. Log requires a Min above 0 and draws smaller values at the edge. Tail has equal distances between the
// percentiles 0.9, 0.99, 0.999 and so on.
const (
	Linear Scale = iota
	Log
	Tail
)

// Quantity is the kind of values.
type Quantity int

// The quantities. Number has no unit, Latency has units from ns to s, and Elapsed, the time since the start of a run,
// has units from ms to h.
const (
	Number Quantity = iota
	Latency
	Elapsed
)

// Dots contains single values.
type Dots struct {
	Name string
	X, Y []float64
}

// Band is the area between two values per step. The lower value is marked. Step k extends from X[k] to X[k+1]. A step
// is empty if Low is NaN.
type Band struct {
	Name         string
	X, Low, High []float64
}

// Line is a line through points. They ascend in X unless the line has Knots.
type Line struct {
	Name  string // shown in charts with several lines
	X, Y  []float64
	Step  bool // Y applies from its X to the next X
	Reach bool // Y applies from the previous X to its own
	// Between adds straight lines between points without measurements. The key explains them.
	Between bool
	Fill    bool   // fills the area below
	Invalid bool   // of an INVALID run: the line is dotted, and its name says so
	Knots   []Knot // one per point, drawn as a disc; nil: no discs
}

// Knot is a separately measured point of a line.
type Knot struct {
	Name   string // label next to the point, if it fits
	Words  string // text under the pointer
	Hollow bool   // a ring, for an unreliable value
	Framed bool   // a square around it flags a change larger than the spread
	Aside  bool   // faint, and not connected to the line
}

// Row is a named bar from From to To. If High is above To, a line extends from Low to High. A positive At is marked on
// it.
type Row struct {
	Name, Value         string
	From, To, Low, High float64
	At, Limit           float64 // 0: none
	// Asked is the rate that the run's schedule asked for, marked on the bar; 0: none.
	Asked   float64
	Invalid bool // of an INVALID run: the bar is hatched, and its value says so
}

// invalidWord stands in charts wherever an INVALID run is shown.
const invalidWord = "INVALID"

// valueText is the value with what qualifies it.
func (r Row) valueText() string {
	text := r.Value
	if r.Asked > 0 {
		text += ", asked for: " + formatFigure(r.Asked)
	}
	if r.Invalid {
		text = strings.TrimSpace(invalidWord + " " + text)
	}
	return text
}

// Mark is a straight line across a chart.
type Mark struct {
	Name     string
	At       float64
	Vertical bool // at a value of X, else of Y
	Limit    bool // a limit that values must not exceed
	Line     int  // number of the line, from 1, whose colour the mark has; 0: no line
}

// Hover is the text for a range of X under the pointer.
type Hover struct {
	From, To float64
	Words    string
}

// OverTime returns the chart's values over time, or nil for a chart of something else.
func (c Chart) OverTime() (at, values []float64) {
	switch {
	case c.X.Of != Elapsed:
		return nil, nil
	case c.Dots != nil:
		return c.Dots.X, c.Dots.Y
	case len(c.Lines) > 0:
		return c.Lines[0].X, c.Lines[0].Y
	}
	return nil, nil
}

// Range returns the lowest and the highest value over time, and their unit.
func (c Chart) Range() (low, high, unit string) {
	_, values := c.OverTime()
	least, most := slices.Min(values), slices.Max(values)
	if c.Y.Of != Latency {
		return formatFigure(least), formatFigure(most), c.Y.Label
	}
	u := unitOf(int64(most))
	return formatFigure(least / u.ns), formatFigure(most / u.ns), u.name
}
