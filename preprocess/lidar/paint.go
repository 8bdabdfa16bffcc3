package lidar

import "slices"

// Calibration takes points (x, y, z, 1) of the lidar into pictures, by 4 x 4 matrices, row by row.
type Calibration struct {
	R0 [16]float32
	P  [Cameras][16]float32
	Tr [Cameras][16]float32
}

// identity changes no point.
var identity = [16]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}

// Painter paints a cloud of points: Start, See for each camera, Finish. Its memory is used again by the next cloud; the
// zero value has none.
type Painter struct {
	points []float32
	rows   []float32 // painted
	seen   []uint8   // by point, a bit for each camera
	hits   []int32   // points that a camera sees
	pixels []int32   // and where
	scores []float32
}

// mostHits is how many pixels are asked for at a time: their classes fit into a core's cache.
const mostHits = 2048

// Start takes points, of Values numbers each, which must not change until Finish.
func (p *Painter) Start(points []float32) {
	n := len(points) / Values
	p.points = points
	p.seen = slices.Grow(p.seen[:0], n)[:n]
	clear(p.seen)
	p.rows = slices.Grow(p.rows[:0], n*Painted)[:n*Painted]
	for i := range n {
		copy(p.rows[i*Painted:], points[i*Values:][:Values])
		clear(p.rows[i*Painted+Values:][:Scores])
	}
}

// See adds the scores of the pixels at which a camera, whose picture has that size, sees points. score fills in the
// Scores numbers of each of some pixels, which are numbered row by row. Sums depend on the order of the cameras, which
// is 0 to 4.
func (p *Painter) See(c *Calibration, camera int, s Size, score func(dst []float32, pixels []int32)) {
	p.look(p.points, camera, c.camera(camera, s))
	for first := 0; first < len(p.hits); first += mostHits {
		hits := p.hits[first:min(first+mostHits, len(p.hits))]
		p.scores = slices.Grow(p.scores[:0], len(hits)*Scores)[:len(hits)*Scores]
		score(p.scores, p.pixels[first:][:len(hits)])
		for i, hit := range hits {
			row := p.rows[int(hit)*Painted+Values:][:Scores]
			for s, v := range p.scores[i*Scores:][:Scores] {
				row[s] += v
			}
		}
	}
}

// Finish returns the points with their scores, Painted numbers each: those seen by cameras 0 and 1 are halved, then
// those by 0 and 2, 1 and 3, 2 and 4. They belong to the Painter and are valid until its next Start.
func (p *Painter) Finish() []float32 {
	p.halve(p.rows)
	p.points = nil
	return p.rows
}

// look finds the points that a camera sees.
func (p *Painter) look(points []float32, k int, c camera) {
	p.hits, p.pixels = p.hits[:0], p.pixels[:0]
	for i := range p.seen {
		point := points[i*Values:][:3]
		if pixel := c.pixel(point[0], point[1], point[2]); pixel >= 0 {
			p.seen[i] |= 1 << k
			p.hits, p.pixels = append(p.hits, int32(i)), append(p.pixels, int32(pixel))
		}
	}
}

// halve evens out what two cameras see.
func (p *Painter) halve(rows []float32) {
	for i, seen := range p.seen {
		for _, pair := range [...]uint8{1<<0 | 1<<1, 1<<0 | 1<<2, 1<<1 | 1<<3, 1<<2 | 1<<4} {
			if seen&pair == pair {
				row := rows[i*Painted+Values:][:Scores]
				for k := range row {
					row[k] *= 0.5
				}
			}
		}
	}
}

// Size is that of a picture, in pixels.
type Size struct{ Height, Width int }

// camera is one camera of a calibration.
type camera struct {
	tr, r0, p     [16]float32
	width, height float32
	stride        int
	plain         bool // r0 changes nothing
}

func (c *Calibration) camera(k int, s Size) camera {
	return camera{c.Tr[k], c.R0, c.P[k], float32(s.Width), float32(s.Height), s.Width, c.R0 == identity}
}

// pixel is the number of the pixel at which the camera sees a point, in float32 steps; -1: it does not.
func (c *camera) pixel(x, y, z float32) int {
	tr := &c.tr
	depth := tr[8]*x + tr[9]*y + tr[10]*z + tr[11]
	if !(depth > 0) {
		return -1
	}
	q := [4]float32{tr[0]*x + tr[1]*y + tr[2]*z + tr[3], tr[4]*x + tr[5]*y + tr[6]*z + tr[7], depth, 1}
	if !c.plain {
		q = [4]float32{row(&c.r0, 0, &q), row(&c.r0, 4, &q), row(&c.r0, 8, &q), row(&c.r0, 12, &q)}
	}
	scale := row(&c.p, 8, &q)
	u := row(&c.p, 0, &q) / scale
	if !(u > 0 && u < c.width) {
		return -1
	}
	v := row(&c.p, 4, &q) / scale
	if !(v > 0 && v < c.height) {
		return -1
	}
	return int(v)*c.stride + int(u)
}

// row is the product of the row of a matrix that begins at a place and a vector.
func row(m *[16]float32, at int, v *[4]float32) float32 {
	return m[at]*v[0] + m[at+1]*v[1] + m[at+2]*v[2] + m[at+3]*v[3]
}
