package scenes

import "github.com/plumbline-ml/plumbline/internal/draw"

// painter paints one scene, back to front.
type painter struct {
	*draw.Canvas
	*scene
	random *draw.Random
}

func (s *scene) paint() *draw.Canvas {
	p := painter{draw.NewCanvas(s.width, s.height), s, s.brush}
	p.paintBackground()
	for range p.random.IntBetween(2, 7) {
		p.paintRag()
	}
	for _, o := range s.crowd {
		p.paintFigure(o)
	}
	for _, o := range s.objects {
		p.paintFigure(o)
	}
	for range p.random.IntBetween(0, 2) {
		p.paintBar()
	}
	p.applyLight()
	return p.Canvas
}

// paintBackground paints a texture of two scales between two colours, over a gradient.
func (p painter) paintBackground() {
	r := p.random
	from, to := draw.RandomColor(r), draw.RandomColor(r)
	coarse := draw.NewNoise(r, p.short*r.IntBetween(15, 50)/100, p.width)
	fine := draw.NewNoise(r, r.IntBetween(2, 12), p.width)
	strong, weak := r.IntBetween(20, 120), r.IntBetween(10, 80)
	p.PaintBackground(r, from, to, func(row []int, y int) {
		coarse.AddRow(row, y, strong)
		fine.AddRow(row, y, weak)
	})
}

// paintRag paints a shape that does not count as an object, behind all objects.
func (p painter) paintRag() {
	at, radius := p.RandomPoint(p.random), p.pixels(p.random.IntBetween(20, 140))
	p.FillRandomly(p.random, draw.RaggedPolygon(p.random, radius), at, 120)
}

// paintBar paints a bar in front of all objects.
func (p painter) paintBar() {
	r := p.random
	half, long := p.pixels(r.IntBetween(4, 14)), p.pixels(r.IntBetween(200, 900))
	p.FillRandomly(r, draw.Box(long, half), p.RandomPoint(r), 140)
}

// paintFigure paints an object in the colours of its class, under light that varies across the object.
func (p painter) paintFigure(o placedFigure) {
	r := p.random
	opacity := r.IntBetween(170, draw.Unit)
	inks := p.inks(o)
	for _, part := range o.parts {
		p.FillPath(draw.Path{part.contour}, opacity, inks[part.tint])
	}
}

func (p painter) inks(o placedFigure) [tints]draw.Ink {
	r := p.random
	first, last := o.class.hues()
	colors := [tints]draw.Color{
		coat: draw.HSV(r.IntBetween(first, last), r.IntBetween(110, 255), r.IntBetween(110, 250)),
		trim: draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(0, 255), r.IntBetween(60, 250)),
		dark: draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(0, 140), r.IntBetween(20, 80)),
		pale: draw.HSV(r.IntBelow(draw.HueCircle), r.IntBetween(0, 70), r.IntBetween(170, 255)),
	}
	middle, fall := (o.bounds.x0+o.bounds.x1)/2, r.IntBetween(-70, 70)
	var inks [tints]draw.Ink
	for i, color := range colors {
		inks[i] = func(x, _ int) draw.Color {
			return color.Scale(draw.Unit + fall*(x*draw.Unit-middle)/o.radius)
		}
	}
	return inks
}

func (p painter) applyLight() {
	r := p.random
	p.Grade(draw.Light{
		Centre:     r.IntBetween(180, 290),
		AcrossX:    r.IntBetween(-80, 80),
		AcrossY:    r.IntBetween(-80, 80),
		Vignette:   r.IntBetween(0, 70),
		Cast:       draw.Color{R: r.IntBetween(230, 282), G: r.IntBetween(238, 272), B: r.IntBetween(230, 282)},
		Grain:      r.IntBetween(0, 50),
		ColorGrain: r.IntBetween(0, 35),
	}, r)
}
