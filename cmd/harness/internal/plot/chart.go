package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Chart is a chart with one or more lines. It has at least one, of at least one point.
type Chart struct {
	ID    string // names it among a run's: "latency"
	Title string
	// Alt says in words what the chart shows, for those who do not see it.
	Alt   string
	X, Y  Axis
	Lines []Line
	Marks []Mark
}

// Axis is one of a chart's two.
type Axis struct {
	Label    string
	Log      bool    // a logarithmic scale: all values are above 0
	Whole    bool    // counts: no fractions between ticks
	Exact    bool    // it ends where the lines do, and not at a tick
	Min, Max float64 // the least that it spans; further where lines and marks go further
	Ticks    []Tick  // nil: as the scale has them
}

// Tick is a place with a label.
type Tick struct {
	At    float64
	Label string
}

// Line is a line through points, which ascend in X.
type Line struct {
	Name string // shown where a chart has several
	X, Y []float64
	Step bool // Y holds from its X to the next one
	Fill bool // the surface below it is filled
}

// Mark is a straight line across a chart.
type Mark struct {
	Name     string
	At       float64
	Vertical bool // at a value of X, else of Y
	Limit    bool // what must not be exceeded
}

// The size of a chart in points, and the resolution of a PNG.
const (
	width, height = 480, 290
	dpi           = 160
)

// Range is the lowest and the highest value of the chart's first line, and their unit.
func (c Chart) Range() (low, high, unit string) {
	return figure(slices.Min(c.Lines[0].Y)), figure(slices.Max(c.Lines[0].Y)), c.Y.Label
}

// SVG is the chart as an element of a page that has CSS, with Light or Dark.
func (c Chart) SVG() ([]byte, error) { return c.svg("", `class="plot"`) }

// svg is an SVG element with attributes, and a style sheet inside.
func (c Chart) svg(sheet, attributes string) ([]byte, error) {
	p, err := c.plot()
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.ID, err)
	}
	canvas := newCanvas(width, height)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg %s viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n%s", attributes, width, height,
		html.EscapeString(c.Title+": "+c.Alt), sheet)
	out.Write(canvas.out.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes(), nil
}

// WriteSVG writes the chart as a file of its own, light or dark as who shows it.
func (c Chart) WriteSVG(w io.Writer) error {
	sheet := "<style>svg{" + Light + "background:var(--plot-back)}@media(prefers-color-scheme:dark){svg{" + Dark + "}}" +
		CSS + "</style>\n<title>" + html.EscapeString(c.Title) + "</title>\n"
	text, err := c.svg(sheet, fmt.Sprintf(`xmlns="http://www.w3.org/2000/svg" class="plot" width="%d" height="%d"`,
		2*width, 2*height))
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// WritePNG writes the chart as a picture on white.
func (c Chart) WritePNG(w io.Writer) error {
	p, err := c.plot()
	if err != nil {
		return fmt.Errorf("chart %s: %w", c.ID, err)
	}
	p.BackgroundColor = color.White
	picture := vgimg.NewWith(vgimg.UseWH(width*vg.Points(1), height*vg.Points(1)), vgimg.UseDPI(dpi))
	canvas := vgimg.PngCanvas{Canvas: picture}
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}
