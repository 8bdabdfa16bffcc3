package scenes

import (
	"cmp"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// scene is a picture before it is painted.
type scene struct {
	width, height, short int // pixels
	objects              []placedFigure
	crowd                []placedFigure // objects of one class; usually none
	layout, brush        *draw.Random
}

func newScene(layout, brush *draw.Random) *scene {
	s := &scene{layout: layout, brush: brush, short: layout.IntBetween(200, 360)}
	s.width, s.height = s.short*layout.IntBetween(100, 150)/100, s.short
	if layout.Chance(40) {
		s.width, s.height = s.height, s.width
	}
	if layout.Chance(15) {
		s.placeCrowd()
	}
	for range layout.IntBetween(1, 8) {
		s.addObject()
	}
	slices.SortStableFunc(s.objects, func(a, b placedFigure) int { return cmp.Compare(b.radius, a.radius) })
	return s
}

// picture returns the scene's annotation.
func (s *scene) picture() Picture {
	p := Picture{Width: s.width, Height: s.height}
	for _, o := range s.objects {
		p.Objects = append(p.Objects, s.object(o.class, o.bounds, o.figureArea()))
	}
	if len(s.crowd) > 0 {
		whole, sum := s.crowdBounds(), 0
		for _, o := range s.crowd {
			sum += o.figureArea()
		}
		o := s.object(s.crowd[0].class, whole, sum)
		o.Crowd = true
		p.Objects = append(p.Objects, o)
	}
	return p
}

// object returns the annotation of a box and the area of its figures. If the picture's edge cuts the box, the area is
// reduced in proportion.
func (s *scene) object(c class, b bounds, area int) Object {
	seen := b.clip(s.frame())
	inside := float64(area) / (draw.Unit * draw.Unit) * float64(seen.size()) / float64(b.size())
	box := seen.pixels()
	return Object{Class: int(c), Box: box, Area: min(inside, box[2]*box[3])}
}

func (s *scene) frame() bounds { return bounds{0, 0, s.width * draw.Unit, s.height * draw.Unit} }

func (s *scene) crowdBounds() bounds {
	b := s.crowd[0].bounds
	for _, o := range s.crowd[1:] {
		b = b.join(o.bounds)
	}
	return b
}

// pixels converts permille of the short side to 1/256 pixel.
func (s *scene) pixels(permille int) int { return s.short * draw.Unit * permille / 1000 }

// placeCrowd places a crowd: small objects of one class, close together.
func (s *scene) placeCrowd() {
	r := s.layout
	c := class(r.IntBelow(classes))
	spread := s.pixels(r.IntBetween(140, 240))
	middle := draw.Point{
		X: r.IntBetween(spread, s.width*draw.Unit-spread),
		Y: r.IntBetween(spread, s.height*draw.Unit-spread),
	}
	for range r.IntBetween(9, 18) {
		off := draw.Polar(spread*r.IntBetween(5, 100)/100, r.IntBelow(draw.Turn))
		at := draw.Point{X: middle.X + off.X, Y: middle.Y + off.Y}
		s.crowd = append(s.crowd, placeFigure(c, s.drawStance(at, s.pixels(r.IntBetween(32, 46)))))
	}
}

// tries limits the search for a position of an object. Without a position the object is omitted.
const tries = 12

// addObject places one more object at a position where it does not hide others too much.
func (s *scene) addObject() {
	r := s.layout
	c, radius := class(r.IntBelow(classes)), s.drawRadius()
	for range tries {
		at := draw.Point{X: r.IntBelow(s.width * draw.Unit), Y: r.IntBelow(s.height * draw.Unit)}
		o := placeFigure(c, s.drawStance(at, radius))
		if s.fits(o.bounds) {
			s.objects = append(s.objects, o)
			return
		}
	}
}

// drawRadius draws a radius from 5 to 40 percent of the short side. Small ones are the most frequent.
func (s *scene) drawRadius() int {
	a, b := s.layout.IntBetween(50, 400), s.layout.IntBetween(50, 400)
	return s.pixels(min(a, b))
}

func (s *scene) drawStance(at draw.Point, radius int) stance {
	r := s.layout
	return stance{
		at: at, radius: radius, wide: r.IntBetween(82, 118), mirror: r.Chance(50), angle: r.IntBetween(-draw.Turn/18,
			draw.Turn/18),
	}
}

// fits reports whether an object may have this box: 70 percent or more of it is within the picture, and it does not
// overlap others too much.
func (s *scene) fits(b bounds) bool {
	if 100*b.clip(s.frame()).size() < 70*b.size() {
		return false
	}
	if len(s.crowd) > 0 {
		if _, ofSmaller := b.overlap(s.crowdBounds()); ofSmaller > 25 {
			return false
		}
	}
	return !slices.ContainsFunc(s.objects, func(o placedFigure) bool {
		ofUnion, ofSmaller := b.overlap(o.bounds)
		return ofUnion > 40 || ofSmaller > 60
	})
}
