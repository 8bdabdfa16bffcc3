package synthetic

import "github.com/plumbline-ml/plumbline/internal/draw"

// scene is a picture being painted, back to front.
type scene struct {
	*draw.Canvas
	random *draw.Random
	short  int // short side, pixels
}

// drawScene paints a picture with a subject of class label.
func drawScene(r *draw.Random, label int) *draw.Canvas {
	s := newScene(r)
	s.paintBackground()
	s.paintClutter()
	s.paintDecoys()
	s.paintSubject(label)
	s.applyLight()
	return s.Canvas
}

func newScene(r *draw.Random) *scene {
	short := r.IntBetween(180, 420)
	long := short * r.IntBetween(draw.Unit, 420) / draw.Unit
	if r.Chance(40) {
		return &scene{draw.NewCanvas(short, long), r, short}
	}
	return &scene{draw.NewCanvas(long, short), r, short}
}

// pixels converts percent of the short side to 1/256 pixel.
func (s *scene) pixels(percent int) int { return s.short * draw.Unit * percent / 100 }

// paintBackground paints a texture of three scales between two colours, over a gradient.
func (s *scene) paintBackground() {
	r := s.random
	from, to := draw.RandomColor(r), draw.RandomColor(r)
	coarse := draw.NewNoise(r, s.short*r.IntBetween(25, 60)/100, s.Width)
	middle := draw.NewNoise(r, s.short*r.IntBetween(6, 16)/100, s.Width)
	fine := draw.NewNoise(r, r.IntBetween(2, 8), s.Width)
	strong, medium, weak := r.IntBetween(20, 120), r.IntBetween(10, 70), r.IntBetween(5, 50)
	s.PaintBackground(r, from, to, func(row []int, y int) {
		coarse.AddRow(row, y, strong)
		middle.AddRow(row, y, medium)
		fine.AddRow(row, y, weak)
	})
}

// paintClutter paints bars and rags of any colour.
func (s *scene) paintClutter() {
	r := s.random
	for range r.IntBetween(1, 6) {
		if r.Chance(50) {
			s.paintBar(s.RandomPoint(r), s.pixels(r.IntBetween(1, 6)), s.pixels(r.IntBetween(20, 120)))
		} else {
			s.paintRag(s.RandomPoint(r), s.pixels(r.IntBetween(4, 14)))
		}
	}
}

func (s *scene) paintBar(at draw.Point, halfWidth, halfLength int) {
	s.FillRandomly(s.random, draw.Box(halfLength, halfWidth), at, 100)
}

func (s *scene) paintRag(at draw.Point, radius int) {
	s.FillRandomly(s.random, draw.RaggedPolygon(s.random, radius), at, 140)
}

// paintDecoys paints small objects of any class. They are smaller than any subject.
func (s *scene) paintDecoys() {
	r := s.random
	for range r.IntBetween(0, 4) {
		l := randomLook(r.IntBelow(ImageClasses), r)
		s.paintObject(l, s.RandomPoint(r), s.pixels(r.IntBetween(5, 10)), draw.Unit)
	}
}

// paintSubject paints the subject near the middle of the picture, and objects that hide a part of it.
func (s *scene) paintSubject(label int) {
	r := s.random
	radius := s.pixels(r.IntBetween(15, 32))
	at := draw.Point{
		X: s.Width*draw.Unit/2 + s.pixels(r.IntBetween(-14, 14)),
		Y: s.Height*draw.Unit/2 + s.pixels(r.IntBetween(-14, 14)),
	}
	s.paintObject(randomLook(label, r), at, radius, r.IntBetween(130, draw.Unit))
	s.occlude(at, radius)
}

func (s *scene) paintObject(l look, at draw.Point, radius, opacity int) {
	r := s.random
	pose := draw.NewPose(at, r.IntBelow(draw.Turn))
	path := outline(l.shape, radius, r).Transform(pose)
	s.FillPath(path, opacity, surface(l, pose, radius, r))
}

// occlude hides parts of an object, with bars across it or rags at its rim.
func (s *scene) occlude(at draw.Point, radius int) {
	r := s.random
	for range r.IntBetween(0, 2) {
		off := draw.Polar(radius*r.IntBetween(20, 100)/100, r.IntBelow(draw.Turn))
		spot := draw.Point{X: at.X + off.X, Y: at.Y + off.Y}
		if r.Chance(50) {
			s.paintBar(spot, radius*r.IntBetween(6, 16)/100, radius*r.IntBetween(80, 200)/100)
		} else {
			s.paintRag(spot, radius*r.IntBetween(20, 45)/100)
		}
	}
}

func (s *scene) applyLight() {
	r := s.random
	s.Grade(draw.Light{
		Centre:     r.IntBetween(170, 290),
		AcrossX:    r.IntBetween(-90, 90),
		AcrossY:    r.IntBetween(-90, 90),
		Vignette:   r.IntBetween(0, 80),
		Cast:       draw.Color{R: r.IntBetween(225, 285), G: r.IntBetween(235, 275), B: r.IntBetween(225, 285)},
		Grain:      r.IntBetween(0, 50),
		ColorGrain: r.IntBetween(0, 35),
	}, r)
}

// randomLook chooses the properties that the class does not determine. Patterns occur only on the solid outlines.
func randomLook(label int, r *draw.Random) look {
	if label < 2*shapeClasses {
		return look{shape(label % shapeClasses), palette(label / shapeClasses), plain}
	}
	solid := [...]shape{disc, ellipse, square, rectangle, triangle, heart}
	return look{shape: solid[r.IntBelow(len(solid))], pattern: pattern(label - 2*shapeClasses)}
}
