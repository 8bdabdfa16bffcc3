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
	for range p.random.Between(2, 7) {
		p.paintRag()
	}
	for _, o := range s.crowd {
		p.paintFigure(o)
	}
	for _, o := range s.objects {
		p.paintFigure(o)
	}
	for range p.random.Between(0, 2) {
		p.paintBar()
	}
	p.applyLight()
	return p.Canvas
}

// paintBackground paints a texture of two scales between two colours, over a gradient.
func (p painter) paintBackground() {
	r := p.random
	from, to := draw.RandomColor(r), draw.RandomColor(r)
	coarse := draw.NewNoise(r, p.short*r.Between(15, 50)/100, p.width)
	fine := draw.NewNoise(r, r.Between(2, 12), p.width)
	strong, weak := r.Between(20, 120), r.Between(10, 80)
	p.PaintBackground(r, from, to, func(row []int, y int) {
		coarse.Add(row, y, strong)
		fine.Add(row, y, weak)
	})
}

// paintRag paints a shape that does not count as an object, behind all objects.
func (p painter) paintRag() {
	at, radius := p.RandomPoint(p.random), p.pixels(p.random.Between(20, 140))
	p.FillRandomly(p.random, draw.RaggedPolygon(p.random, radius), at, 120)
}

// paintBar paints a bar in front of all objects.
func (p painter) paintBar() {
	r := p.random
	half, long := p.pixels(r.Between(4, 14)), p.pixels(r.Between(200, 900))
	p.FillRandomly(r, draw.Box(long, half), p.RandomPoint(r), 140)
}

// paintFigure paints an object in the colours of its class, under light that varies across the object.
func (p painter) paintFigure(o placedFigure) {
	r := p.random
	opacity := r.Between(170, draw.Unit)
	inks := p.inks(o)
	for _, part := range o.parts {
		p.Fill(draw.Path{part.contour}, opacity, inks[part.tint])
	}
}

func (p painter) inks(o placedFigure) [tints]draw.Ink {
	r := p.random
	first, last := o.class.hues()
	colors := [tints]draw.Color{
		coat: draw.HSV(r.Between(first, last), r.Between(110, 255), r.Between(110, 250)),
		trim: draw.HSV(r.Below(draw.HueCircle), r.Between(0, 255), r.Between(60, 250)),
		dark: draw.HSV(r.Below(draw.HueCircle), r.Between(0, 140), r.Between(20, 80)),
		pale: draw.HSV(r.Below(draw.HueCircle), r.Between(0, 70), r.Between(170, 255)),
	}
	middle, fall := (o.bounds.x0+o.bounds.x1)/2, r.Between(-70, 70)
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
		Centre:     r.Between(180, 290),
		AcrossX:    r.Between(-80, 80),
		AcrossY:    r.Between(-80, 80),
		Vignette:   r.Between(0, 70),
		Cast:       draw.Color{R: r.Between(230, 282), G: r.Between(238, 272), B: r.Between(230, 282)},
		Grain:      r.Between(0, 50),
		ColorGrain: r.Between(0, 35),
	}, r)
}
