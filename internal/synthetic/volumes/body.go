package volumes

import "github.com/plumbline-ml/plumbline/internal/draw"

// mm is one millimetre.
const mm = 256

// point is a position or an extent along depth, height and width, in 1/256 mm.
type point [3]int

func (p point) add(q point) point { return point{p[0] + q[0], p[1] + q[1], p[2] + q[2]} }

// unit is the fixed-point 1 of directions, and surface the level at a body's surface.
const (
	unit    = 1 << 14
	surface = 1 << 10
)

// body is an ellipsoid of one tissue, rotated, bent like a bean, with a rough surface.
type body struct {
	at     point
	axes   [3]point // directions of its own depth, height and width, in 1/unit
	radius point    // along its own axes
	bend   int      // displacement of its ends towards its own height, in radii and units of 1/surface
	rough  int      // displacement of the surface by the texture, in 1/surface of the level
	tissue
}

// tissue contains the appearance and the label of a body.
type tissue struct {
	hu    int
	grain int // strength of the texture, HU
	label uint8
	named bool // label applies to its voxels; otherwise they keep the label of the surrounding body
}

// rotatedAxes returns a body's axes: a rotation in the slice, then a tilt of its depth towards its own height.
func rotatedAxes(turn, tilt int) [3]point {
	c, s := draw.Cos(turn), draw.Sin(turn)
	ct, st := draw.Cos(tilt), draw.Sin(tilt)
	height, width := point{0, c, s}, point{0, -s, c}
	depth := point{ct, st * height[1] / unit, st * height[2] / unit}
	up := point{-st, ct * height[1] / unit, ct * height[2] / unit}
	return [3]point{depth, up, width}
}

// toWorld returns the point with the body's own coordinates q, each in 1/surface of the radius.
func (b *body) toWorld(q point) point {
	p := b.at
	for k, axis := range b.axes {
		length := q[k] * b.radius[k] / surface
		for i := range p {
			p[i] += axis[i] * length / unit
		}
	}
	return p
}

// cut contains a body's own coordinates on a row of voxels, for computing the level at each voxel.
type cut struct {
	from, step [3]int // own coordinates at the first voxel, and steps, in 1/1024 of 1/surface of the radius
	bend       int
	rough      int
	slope      int // increase of the cover, in 1/256, when the level falls by surface
}

// cutWithRow returns the cut of the body with the row at depth z and height y, whose voxels are at x, x+dx ... along
// the width. edge is the width of the surface's blur.
func (b *body) cutWithRow(z, y, x, dx, edge int) cut {
	c := cut{bend: b.bend, rough: b.rough, slope: min(b.radius[0], b.radius[1], b.radius[2]) * 128 / edge}
	d := point{z - b.at[0], y - b.at[1], x - b.at[2]}
	for k, axis := range b.axes {
		c.from[k] = (d[0]*axis[0] + d[1]*axis[1] + d[2]*axis[2]) * (surface * surface / unit) / b.radius[k]
		c.step[k] = dx * axis[2] * (surface * surface / unit) / b.radius[k]
	}
	return c
}

// level returns the level at voxel i: 0 at the body's centre, surface at its surface, growing with the square of the
// distance.
func (c *cut) level(i, texture int) int {
	u := (c.from[0] + i*c.step[0]) >> 10
	v := (c.from[1]+i*c.step[1])>>10 - c.bend*(u*u>>10)>>10
	w := (c.from[2] + i*c.step[2]) >> 10
	return (u*u+v*v+w*w)>>10 + c.rough*texture>>8
}

// cover returns the share of a voxel at a level that belongs to the body, 0 to 256.
func (c *cut) cover(level int) int {
	return min(max(128+(surface-level)*c.slope>>10, 0), 256)
}

// reach returns a distance from the centre that exceeds the whole body.
func (b *body) reach() int {
	longest := max(b.radius[0], b.radius[1], b.radius[2])
	return longest*3/2 + abs(b.bend)*b.radius[1]/surface + 2*mm
}

func abs(v int) int { return max(v, -v) }
