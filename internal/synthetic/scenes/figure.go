package scenes

import (
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// tint is the colour of a part within its figure.
type tint int

const (
	coat tint = iota // the class's own hue
	trim             // any other hue
	dark
	pale
	tints = iota
)

// part is a contour of a figure, in percent of its radius around its middle.
type part struct {
	contour []draw.Point
	tint    tint
	inside  bool // within other parts, without adding to the figure's area
}

// parts returns a class's figure, back to front.
func (c class) parts() []part {
	switch c {
	case house:
		return []part{
			{contour: box(-70, -12, 70, 90)},
			{contour: draw.Polygon(-95, -10, 0, -90, 95, -10), tint: trim},
			{contour: box(-16, 36, 16, 90), tint: dark, inside: true},
			{contour: box(30, 8, 56, 34), tint: pale, inside: true},
		}
	case tree:
		return []part{{contour: box(-13, 25, 13, 95), tint: dark}, {contour: oval(0, -28, 62, 66)}}
	case taxi, sedan:
		return []part{
			{contour: draw.Polygon(-95, 8, -60, 0, -42, -42, 38, -42, 62, 0, 95, 8, 95, 44, -95, 44)},
			{contour: draw.Polygon(-46, 0, -34, -32, -4, -32, -4, 0), tint: pale, inside: true},
			{contour: draw.Polygon(6, 0, 6, -32, 32, -32, 46, 0), tint: pale, inside: true},
			{contour: oval(-52, 44, 22, 22), tint: dark},
			{contour: oval(54, 44, 22, 22), tint: dark},
		}
	case goldfish, trout:
		return []part{
			{contour: draw.Polygon(-40, 0, -100, -40, -86, 0, -100, 40)},
			{contour: oval(20, 0, 74, 38)},
			{contour: draw.Polygon(0, -34, 36, -62, 44, -34), tint: trim},
			{contour: oval(64, -10, 8, 8), tint: dark, inside: true},
		}
	case boat:
		return []part{
			{contour: draw.Polygon(-95, 35, 95, 35, 62, 80, -62, 80)},
			{contour: box(-5, -92, 3, 35), tint: dark},
			{contour: draw.Polygon(8, -85, 82, 24, 8, 24), tint: trim},
		}
	case flower:
		return petals()
	case walker:
		return []part{
			{contour: oval(0, -74, 20, 22), tint: pale},
			{contour: draw.Polygon(-28, -48, 28, -48, 22, 22, -22, 22)},
			{contour: draw.Polygon(-28, -46, -52, 6, -40, 12, -22, -24)},
			{contour: draw.Polygon(28, -46, 52, 6, 40, 12, 22, -24)},
			{contour: draw.Polygon(-20, 22, -2, 22, -14, 96, -34, 96), tint: dark},
			{contour: draw.Polygon(2, 22, 20, 22, 34, 96, 14, 96), tint: dark},
		}
	default:
		return []part{
			{contour: draw.Polygon(0, -95, 58, -28, 0, 95, -58, -28)},
			{contour: draw.Polygon(0, -95, 58, -28, 0, -28), tint: trim, inside: true},
			{contour: draw.Polygon(0, -28, 0, 95, -58, -28), tint: trim, inside: true},
		}
	}
}

func petals() []part {
	const n = 6
	parts := make([]part, 0, n+1)
	for i := range n {
		at := draw.Polar(58, i*draw.Turn/n)
		parts = append(parts, part{contour: oval(at.X, at.Y, 33, 33)})
	}
	return append(parts, part{contour: oval(0, 0, 36, 36), tint: trim})
}

func box(x0, y0, x1, y1 int) []draw.Point { return draw.Polygon(x0, y0, x1, y0, x1, y1, x0, y1) }

// oval approximates an ellipse around (x, y) by a polygon. Its corners are rounded to percents.
func oval(x, y, rx, ry int) []draw.Point {
	const corners = 20
	points := make([]draw.Point, corners)
	for i := range points {
		angle := i * draw.Turn / corners
		points[i] = draw.Point{X: x + rx*draw.Cos(angle)>>14, Y: y + ry*draw.Sin(angle)>>14}
	}
	return points
}
