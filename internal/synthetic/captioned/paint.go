package captioned

import "github.com/plumbline-ml/plumbline/internal/draw"

func (s *scene) paint(r *draw.Random) *draw.Canvas {
	c := draw.NewCanvas(Side, Side)
	ground := shade(r, s.background)
	c.PaintGradient(ground, ground.Scale(draw.Unit+r.IntBetween(-24, 24)), func(row []int, y int) {
		for x := range row {
			row[x] = y * draw.Unit / Side
		}
	})
	for _, f := range s.figures {
		f.paint(c, r)
	}
	return c
}

// shade returns a colour near a named one.
func shade(r *draw.Random, color int) draw.Color {
	c := colors[color].color
	return draw.Color{R: c.R + r.IntBetween(-10, 10), G: c.G + r.IntBetween(-10, 10), B: c.B + r.IntBetween(-10, 10)}
}

// Position of the first figure's middle, and distance to the next, in pixels.
const (
	firstMiddle = 17
	toNext      = 15
)

func (f figure) paint(c *draw.Canvas, r *draw.Random) {
	at := draw.Point{
		X: (firstMiddle+toNext*f.column)*draw.Unit + r.IntBetween(-384, 384),
		Y: (firstMiddle+toNext*f.row)*draw.Unit + r.IntBetween(-384, 384),
	}
	radius := sizes[f.size].radius * r.IntBetween(240, 272)
	pose := draw.NewPose(at, r.IntBetween(-draw.Turn/60, draw.Turn/60))
	c.FillPath(f.shape.outline(radius).Transform(pose), draw.Unit, draw.FlatInk(shade(r, f.color)))
}

// outline returns a shape around the origin.
func (s shape) outline(radius int) draw.Path {
	switch s {
	case circle:
		return draw.Path{draw.Oval(radius, radius)}
	case square:
		return draw.Path{draw.Box(radius*88/100, radius*88/100)}
	case triangle:
		return draw.Path{upright(draw.Star(3, radius*120/100, radius*60/100))}
	case star:
		return draw.Path{upright(draw.Star(5, radius*118/100, radius*50/100))}
	case heart:
		return draw.Path{draw.Heart(radius)}
	case ring:
		return draw.Path{draw.Oval(radius, radius), draw.Oval(radius*55/100, radius*55/100)}
	case cross:
		return draw.Path{draw.Cross(radius*105/100, radius*36/100)}
	default:
		return draw.Path{draw.Crescent(radius*110/100, 15)}
	}
}

// upright rotates a contour whose first corner is on the right so that the corner is at the top.
func upright(contour []draw.Point) []draw.Point {
	return draw.Path{contour}.Transform(draw.NewPose(draw.Point{}, -draw.Turn/4))[0]
}
