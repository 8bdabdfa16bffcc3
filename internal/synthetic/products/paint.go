package products

import "github.com/plumbline-ml/plumbline/internal/draw"

// layer is a part of a thing: an outline in hundredths of its radius, in the thing's colour or a darker one.
type layer struct {
	path draw.Path
	dark bool // darker and without the pattern
}

// paint draws a thing on a background of another hue.
func paint(r *draw.Random, t thing, p pattern) *draw.Canvas {
	c := draw.NewCanvas(Side, Side)
	hue := r.IntBelow(draw.HueCircle)
	paintBackground(c, r, hue)
	radius := r.IntBetween(16, 40) * draw.Unit
	at := draw.Point{X: Side/2*draw.Unit + r.IntBetween(-1500, 1500), Y: Side/2*draw.Unit + r.IntBetween(-1500, 1500)}
	pose := draw.NewPose(at, r.IntBetween(-draw.Turn/24, draw.Turn/24))
	color := draw.HSV(hue, r.IntBetween(140, 255), r.IntBetween(170, 250))
	other := color.Scale(110)
	if r.Chance(50) {
		other = color.Mix(draw.Color{R: 255, G: 255, B: 255}, 190)
	}
	ink := p.ink(pose, radius, color, other)
	for _, l := range t.layers() {
		over := ink
		if l.dark {
			over = draw.FlatInk(color.Scale(150))
		}
		c.FillPath(scaled(l.path, radius).Transform(pose), draw.Unit, over)
	}
	if r.Chance(50) {
		paintStrip(c, r, at)
	}
	light := draw.Light{
		Centre: r.IntBetween(210, 270), AcrossX: r.IntBetween(-40, 40), AcrossY: r.IntBetween(-40, 40),
		Vignette: r.IntBelow(40),
		Cast:     draw.Color{R: r.IntBetween(240, 270), G: r.IntBetween(240, 270), B: r.IntBetween(240, 270)},
		Grain:    r.IntBelow(40), ColorGrain: r.IntBelow(20),
	}
	c.Grade(light, r)
	return c
}

// paintStrip covers a part of a thing with a strip.
func paintStrip(c *draw.Canvas, r *draw.Random, at draw.Point) {
	at.X, at.Y = at.X+r.IntBetween(-5000, 5000), at.Y+r.IntBetween(-5000, 5000)
	strip := draw.Path{draw.Box(Side*draw.Unit, r.IntBetween(600, 1800))}
	ink := draw.HSV(r.IntBelow(draw.HueCircle), r.IntBelow(200), r.IntBetween(60, 240))
	c.FillPath(strip.Transform(draw.NewPose(at, r.IntBelow(draw.Turn))), draw.Unit, draw.FlatInk(ink))
}

// paintBackground fills a picture with shades of a hue.
func paintBackground(c *draw.Canvas, r *draw.Random, hue int) {
	hue += r.IntBetween(draw.HueCircle/4, draw.HueCircle*3/4)
	from := draw.HSV(hue, r.IntBetween(10, 220), r.IntBetween(60, 230))
	to := from.Scale(r.IntBetween(180, 300))
	noise := draw.NewNoise(r, 24, Side)
	c.PaintGradient(from, to, func(row []int, y int) {
		for x := range row {
			row[x] = (x + y) * draw.Unit / (2 * Side)
		}
		noise.AddRow(row, y, 60)
	})
}

// ink returns the ink of a thing at a pose, with a pattern of two colours.
func (p pattern) ink(pose draw.Pose, radius int, color, other draw.Color) draw.Ink {
	width := radius / 5
	switch p {
	case striped:
		return func(x, y int) draw.Color {
			if at := pose.InvertPixel(x, y); (at.X+100*width)/width%2 == 0 {
				return other
			}
			return color
		}
	case dotted:
		cell := 2 * width
		return func(x, y int) draw.Color {
			at := pose.InvertPixel(x, y)
			dx, dy := (at.X+100*cell)%cell-cell/2, (at.Y+100*cell)%cell-cell/2
			if dx*dx+dy*dy < cell*cell/10 {
				return other
			}
			return color
		}
	}
	return draw.FlatInk(color)
}

func scaled(p draw.Path, radius int) draw.Path {
	out := make(draw.Path, len(p))
	for i, contour := range p {
		for _, q := range contour {
			out[i] = append(out[i], draw.Point{X: q.X * radius / 100, Y: q.Y * radius / 100})
		}
	}
	return out
}

// body returns a layer with the pattern, and part a darker layer without it.
func body(contours ...[]draw.Point) layer { return layer{path: contours} }
func part(contours ...[]draw.Point) layer { return layer{path: contours, dark: true} }

func at(x, y int, contour []draw.Point) []draw.Point {
	return draw.Path{contour}.Transform(draw.NewPose(draw.Point{X: x, Y: y}, 0))[0]
}

func box(x, y, halfX, halfY int) []draw.Point { return at(x, y, draw.Box(halfX, halfY)) }
func oval(x, y, rx, ry int) []draw.Point      { return at(x, y, draw.Oval(rx, ry)) }

// layers returns the parts of a thing, back to front.
func (t thing) layers() []layer {
	switch t {
	case mug:
		return []layer{part(oval(45, 0, 35, 38), oval(45, 0, 20, 22)), body(box(-12, 0, 52, 62))}
	case bottle:
		return []layer{body(box(0, 28, 34, 62)), body(box(0, -52, 13, 26)), part(box(0, -84, 17, 9))}
	case plate:
		return []layer{body(oval(0, 0, 92, 92)), part(oval(0, 0, 62, 62), oval(0, 0, 55, 55))}
	case lamp:
		return []layer{part(box(0, 42, 6, 42)), part(oval(0, 84, 42, 11)),
			body(draw.Polygon(-34, -85, 34, -85, 74, 5, -74, 5))}
	case chair:
		return []layer{body(box(0, -45, 48, 42)), part(box(-46, 58, 7, 34)), part(box(46, 58, 7, 34)),
			body(box(0, 14, 56, 16))}
	case table:
		return []layer{part(box(-74, 40, 8, 50)), part(box(74, 40, 8, 50)), body(box(0, -26, 95, 22))}
	case shirt:
		return []layer{body(draw.Polygon(-45, -70, -16, -70, 0, -52, 16, -70, 45, -70, 95, -20, 74, 8, 48, -14, 48, 78,
			-48, 78, -48, -14, -74, 8, -95, -20))}
	case trousers:
		legs := draw.Polygon(-46, -82, 46, -82, 58, 86, 18, 86, 0, -22, -18, 86, -58, 86)
		return []layer{body(legs), part(box(0, -80, 46, 8))}
	case hat:
		return []layer{body(draw.Polygon(-52, 36, -42, -55, 42, -55, 52, 36)), body(oval(0, 38, 98, 20)),
			part(box(0, 14, 50, 9))}
	case kite:
		return []layer{part(box(0, 84, 3, 22)), body(draw.Polygon(0, -92, 62, -18, 0, 68, -62, -18))}
	case ball:
		return []layer{body(oval(0, 0, 84, 84)), part(oval(-34, -38, 14, 10))}
	default:
		return []layer{body(draw.Polygon(-48, -8, -30, -52, 34, -52, 56, -8)), body(box(0, 16, 95, 27)),
			part(oval(-50, 44, 22, 22)), part(oval(50, 44, 22, 22))}
	}
}
