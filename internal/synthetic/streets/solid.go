package streets

import (
	"cmp"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

const (
	metre = 1 << 12
	unit  = 1 << 16 // of directions and slopes
)

// plane is a point or a direction on the ground plane.
type plane struct{ x, y int }

// heading returns the direction of an angle.
func heading(angle int) plane { return direction(draw.Cos(angle), draw.Sin(angle)) }

// direction returns a vector scaled to unit length.
func direction(x, y int) plane {
	length := draw.Sqrt((x*x + y*y) << 12)
	return plane{(x << 6) * unit / length, (y << 6) * unit / length}
}

// fromBody converts a point from the coordinates of a body with first axis d to the plane's, around the origin.
func (d plane) fromBody(p plane) plane {
	return plane{(p.x*d.x - p.y*d.y) >> 16, (p.x*d.y + p.y*d.x) >> 16}
}

// toBody returns the inverse of along.
func (d plane) toBody(p plane) plane {
	return plane{(p.x*d.x + p.y*d.y) >> 16, (p.y*d.x - p.x*d.y) >> 16}
}

func (d plane) add(q plane) plane      { return plane{d.x + q.x, d.y + q.y} }
func (d plane) subtract(q plane) plane { return plane{d.x - q.x, d.y - q.y} }

// solid is an upright box or cylinder.
type solid struct {
	at        plane
	axis      plane // the direction of a box's length
	half      plane // half the length and width of a box; twice the radius of a cylinder, as both values
	low, high int
	round     bool
	owner     int // index of the world's object; -1: none
	look      look
}

// crossing is the interval in which a level ray is within a solid, by the distance from its start.
type crossing struct {
	*solid
	near, far int
	side      face
}

// face is the face at which a ray enters a solid.
type face uint8

const (
	end face = iota // front or back of a box
	flank
	curved
	top
	bottom
)

// crossings returns the crossings of a level ray, the nearest first.
func crossings(solids []solid, from, dir plane) []crossing {
	var all []crossing
	for i := range solids {
		s := &solids[i]
		p, q := s.axis.toBody(from.subtract(s.at)), s.axis.toBody(dir)
		c := crossing{solid: s}
		if s.round {
			c.crossCircle(p, q)
		} else {
			c.crossBox(p, q)
		}
		if c.near > 0 && c.near < c.far {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b crossing) int { return cmp.Compare(a.near, b.near) })
	return all
}

func (c *crossing) crossCircle(p, q plane) {
	aside, ahead := (p.x*q.y-p.y*q.x)>>16, -(p.x*q.x+p.y*q.y)>>16
	if inside := c.half.x*c.half.x - aside*aside; inside > 0 {
		chord := draw.Sqrt(inside)
		c.near, c.far, c.side = ahead-chord, ahead+chord, curved
	}
}

func (c *crossing) crossBox(p, q plane) {
	near, far := slabInterval(p.x, q.x, c.half.x)
	other, last := slabInterval(p.y, q.y, c.half.y)
	if other > near {
		near, c.side = other, flank
	}
	c.near, c.far = near, min(far, last)
}

// farthest is larger than all distances.
const farthest = 1 << 30

// slabInterval returns the interval in which a ray is less than half from 0 on one axis.
func slabInterval(from, dir, half int) (near, far int) {
	if dir == 0 {
		if from <= -half || from >= half {
			return 0, 0
		}
		return -farthest, farthest
	}
	a, b := (-half-from)*unit/dir, (half-from)*unit/dir
	return min(a, b), max(a, b)
}

// hit is the end of a ray: a solid, the ground, or nothing.
type hit struct {
	*solid     // nil: the ground or nothing
	away   int // level distance; farthest: nothing
	slope  int
	side   face
	x, y   int
	ground material // material of the ground, or sky, if there is no solid
}

// traceRay follows a ray that rises by slope above the level ray of the crossings.
func (w *world) traceRay(from plane, height int, dir plane, slope int, all []crossing) hit {
	h := hit{away: farthest, slope: slope, ground: sky}
	if slope < 0 {
		h.away = height * unit / -slope
	}
	for _, c := range all {
		if c.near >= h.away {
			break
		}
		if at, side := c.entryPoint(height, slope); at < h.away {
			h.solid, h.away, h.side = c.solid, at, side
		}
	}
	if h.away < farthest {
		h.x, h.y = from.x+dir.x*h.away>>16, from.y+dir.y*h.away>>16
		h.ground = w.surface(plane{h.x, h.y})
	}
	return h
}

// entryPoint returns the distance and the face at which a ray enters the solid: at its side, its top or its bottom. The
// distance is farthest if the ray misses it.
func (c crossing) entryPoint(height, slope int) (int, face) {
	level, at, side := height+slope*c.near>>16, farthest, c.side
	switch {
	case level > c.high && slope < 0:
		at, side = (height-c.high)*unit/-slope, top
	case level < c.low && slope > 0:
		at, side = (c.low-height)*unit/slope, bottom
	case level >= c.low && level <= c.high:
		return c.near, side
	}
	if at > c.far {
		return farthest, side
	}
	return at, side
}
