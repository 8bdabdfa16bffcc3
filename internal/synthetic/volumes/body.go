package volumes

import "github.com/plumbline-ml/plumbline/internal/draw"

// mm is one millimetre.
const mm = 256

// point is a position or an extent along depth, height and width, in 1/256 mm.
type point [3]int

func (p point) plus(q point) point { return point{p[0] + q[0], p[1] + q[1], p[2] + q[2]} }

// unit is the fixed-point 1 of directions, surface that of the level of a body's surface.
const (
	unit    = 1 << 14
	surface = 1 << 10
)

// body is an ellipsoid of one tissue: turned, bent like a bean, with a rough surface.
type body struct {
	at     point
	axes   [3]point // directions of its own depth, height and width, in 1/unit
	radius point    // along its own axes
	bend   int      // by how much of a radius its ends lean to its own height, in 1/surface
	rough  int      // how far the texture moves the surface, in 1/surface of the level
	tissue
}

// tissue is what a body looks like.
type tissue struct {
	hu    int
	grain int // how strongly the texture shows, HU
	label uint8
	named bool // label is for its voxels; else they keep that of the body around it
}

// turned gives a body's axes: first a turn in the slice, then a tilt of its depth towards its own height.
func turned(turn, tilt int) [3]point {
	c, s := draw.Cos(turn), draw.Sin(turn)
	ct, st := draw.Cos(tilt), draw.Sin(tilt)
	height, width := point{0, c, s}, point{0, -s, c}
	depth := point{ct, st * height[1] / unit, st * height[2] / unit}
	up := point{-st, ct * height[1] / unit, ct * height[2] / unit}
	return [3]point{depth, up, width}
}

// along returns the point of the body's own coordinates q, each in 1/surface of the radius.
func (b *body) along(q point) point {
	p := b.at
	for k, axis := range b.axes {
		length := q[k] * b.radius[k] / surface
		for i := range p {
			p[i] += axis[i] * length / unit
		}
	}
	return p
}

// cut is a body's own coordinates on a row of voxels, from which the level at each follows.
type cut struct {
	from, step [3]int // own coordinates at the first voxel and from one to the next, in 1/1024 of 1/surface of the radius
	bend       int
	rough      int
	slope      int // by how much of 256 the cover grows when the level falls by surface
}

// on cuts the body with the row at depth z and height y, whose voxels are at x, x+dx ... along the width. A surface is
// as blurred as edge is wide.
func (b *body) on(z, y, x, dx, edge int) cut {
	c := cut{bend: b.bend, rough: b.rough, slope: min(b.radius[0], b.radius[1], b.radius[2]) * 128 / edge}
	d := point{z - b.at[0], y - b.at[1], x - b.at[2]}
	for k, axis := range b.axes {
		c.from[k] = (d[0]*axis[0] + d[1]*axis[1] + d[2]*axis[2]) * (surface * surface / unit) / b.radius[k]
		c.step[k] = dx * axis[2] * (surface * surface / unit) / b.radius[k]
	}
	return c
}

// level is 0 at the body's centre and surface at its surface; it grows with the square of the distance.
func (c *cut) level(i, texture int) int {
	u := (c.from[0] + i*c.step[0]) >> 10
	v := (c.from[1]+i*c.step[1])>>10 - c.bend*(u*u>>10)>>10
	w := (c.from[2] + i*c.step[2]) >> 10
	return (u*u+v*v+w*w)>>10 + c.rough*texture>>8
}

// cover is how much of a voxel at a level belongs to the body, 0 to 256.
func (c *cut) cover(level int) int {
	return min(max(128+(surface-level)*c.slope>>10, 0), 256)
}

// reach is a distance from the centre beyond which nothing of the body is.
func (b *body) reach() int {
	longest := max(b.radius[0], b.radius[1], b.radius[2])
	return longest*3/2 + abs(b.bend)*b.radius[1]/surface + 2*mm
}

func abs(v int) int { return max(v, -v) }
