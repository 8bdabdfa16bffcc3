package scenes

import "github.com/plumbline-ml/plumbline/internal/draw"

// placedFigure is a figure in the picture.
type placedFigure struct {
	class  class
	parts  []part // in 1/256 pixel of the picture
	bounds bounds
	radius int // 1/256 pixel
}

// stance is the position and the form of a figure.
type stance struct {
	at     draw.Point
	radius int // 1/256 pixel
	wide   int // width in percent of the figure's own width
	mirror bool
	angle  int
}

func placeFigure(c class, s stance) placedFigure {
	p := placedFigure{class: c, parts: c.parts(), radius: s.radius}
	pose := draw.NewPose(s.at, s.angle)
	for i := range p.parts {
		for j, q := range p.parts[i].contour {
			p.parts[i].contour[j] = pose.Apply(s.scale(q))
		}
	}
	p.bounds = boundsOf(p.parts)
	return p
}

// scale converts percents of the radius to 1/256 pixel.
func (s stance) scale(q draw.Point) draw.Point {
	x := q.X * s.wide / 100
	if s.mirror {
		x = -x
	}
	return draw.Point{X: x * s.radius / 100, Y: q.Y * s.radius / 100}
}

// figureArea returns the area of the figure, in 1/65536 pixel. Overlaps of its parts, which are small, count twice.
func (p placedFigure) figureArea() int {
	sum := 0
	for _, part := range p.parts {
		if !part.inside {
			sum += contourArea(part.contour)
		}
	}
	return sum
}

// contourArea returns the area of a contour, by the shoelace formula.
func contourArea(contour []draw.Point) int {
	sum := 0
	a := contour[len(contour)-1]
	for _, b := range contour {
		sum += a.X*b.Y - b.X*a.Y
		a = b
	}
	return max(sum, -sum) / 2
}

// bounds is a box of [x0, x1) by [y0, y1), in 1/256 pixel.
type bounds struct{ x0, y0, x1, y1 int }

func boundsOf(parts []part) bounds {
	first := parts[0].contour[0]
	b := bounds{first.X, first.Y, first.X, first.Y}
	for _, p := range parts {
		for _, q := range p.contour {
			b = b.join(bounds{q.X, q.Y, q.X, q.Y})
		}
	}
	return b
}

func (b bounds) join(c bounds) bounds {
	return bounds{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}

func (b bounds) clip(c bounds) bounds {
	return bounds{max(b.x0, c.x0), max(b.y0, c.y0), min(b.x1, c.x1), min(b.y1, c.y1)}
}

// size returns the area of the box, or 0 if it is empty.
func (b bounds) size() int { return max(b.x1-b.x0, 0) * max(b.y1-b.y0, 0) }

// overlap returns the common area of two boxes, in percent of their union and in percent of the smaller box.
func (b bounds) overlap(c bounds) (ofUnion, ofSmaller int) {
	common := b.clip(c).size()
	return 100 * common / (b.size() + c.size() - common), 100 * common / min(b.size(), c.size())
}

// pixels returns the box as x, y, width, height in pixels.
func (b bounds) pixels() [4]float64 {
	return [4]float64{inPixels(b.x0), inPixels(b.y0), inPixels(b.x1 - b.x0), inPixels(b.y1 - b.y0)}
}

func inPixels(v int) float64 { return float64(v) / draw.Unit }
