package plot

import (
	"slices"
)

// Chart is a chart of points, bands and lines, or of rows. It has at least one of them, of at least one value. Times
// are in nanoseconds.
type Chart struct {
	ID    string // names it among a run's: "latency"
	Title string
	// Of says which runs it is of. It stands beneath the title of a picture that is shown alone.
	Of string
	// Alt says in words what the chart shows, for those who do not see it.
	Alt   string
	X, Y  Axis
	Dots  *Dots
	Band  *Band
	Lines []Line
	Rows  []Row // where there are rows, X is the axis of their values, and Y is not shown
	Marks []Mark
	// Shades are ranges of X with another ground.
	Shades []Shade
	Hover  []Hover
	Notes  []string // what the axes do not show, a phrase each
}

// Shade is a range of X. Parts outside of the axis are not shown.
type Shade struct {
	From, To float64
	Name     string // stands within the range, where there is room
	Clear    bool   // has a name alone, and no ground of its own
}

// Axis is one of a chart's two axes.
type Axis struct {
	Label    string // what it shows: "latency". The unit of times is added
	Scale    Scale
	Of       Quantity
	Whole    bool    // counts: no fractions between ticks
	Exact    bool    // it ends where the values do, and not at a tick
	Min, Max float64 // the least that it spans; further where values and marks go. Of Log, Min is where it begins
}

// Scale is the spacing of values along an axis.
type Scale int

// The scales. Log wants a Min above 0; what is below is drawn at the edge. Tail gives each further nine of a
// percentile, a fraction, the same room.
const (
	Linear Scale = iota
	Log
	Tail
)

// Quantity is the kind of values.
type Quantity int

// Numbers have no unit, latencies have one of ns to s, and times since the start of a run have one of ms to h.
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

// Band is an area between two values in each of several steps. The lowest step is marked. Step k extends from X[k] to
// X[k+1]. A step is empty if Low is NaN.
type Band struct {
	Name         string
	X, Low, High []float64
}

// Line is a line through points. They ascend in X unless the line has Knots.
type Line struct {
	Name  string // shown where a chart has several
	X, Y  []float64
	Step  bool // Y holds from its X to the next one
	Reach bool // Y holds from the X before to its own
	// Between adds straight lines between the points, in which nothing was measured: the key says so.
	Between bool
	Fill    bool   // the surface below it is filled
	Knots   []Knot // one for each point, which is then drawn as a disc; nil: none is
}

// Knot is a separately measured point of a line.
type Knot struct {
	Name   string // stands beside it, where there is room
	Words  string // what it says under the pointer
	Hollow bool   // a ring, for a value that is not to be relied on
	Aside  bool   // the line does not go through it, and it is faint
}

// Row is a named bar from From to To. If High is above To, a line extends from Low to High. At is marked on it if it is
// above 0.
type Row struct {
	Name, Value         string
	From, To, Low, High float64
	At, Limit           float64 // 0: none
}

// Mark is a straight line across a chart.
type Mark struct {
	Name     string
	At       float64
	Vertical bool // at a value of X, else of Y
	Limit    bool // what must not be exceeded
	Line     int  // it belongs to this line, counted from 1, and has its colour; 0: to none, or to all
}

// Hover is the text of a part of the chart under the pointer, from one value of X to another.
type Hover struct {
	From, To float64
	Words    string
}

// OverTime are the values that the chart has over time; none where it is of something else.
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

// Range is the lowest and the highest value over time, and their unit.
func (c Chart) Range() (low, high, unit string) {
	_, values := c.OverTime()
	least, most := slices.Min(values), slices.Max(values)
	if c.Y.Of != Latency {
		return formatFigure(least), formatFigure(most), c.Y.Label
	}
	u := unitOf(int64(most))
	return formatFigure(least / u.ns), formatFigure(most / u.ns), u.name
}
