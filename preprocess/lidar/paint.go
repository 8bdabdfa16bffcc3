package lidar

import "slices"

// Calibration projects points (x, y, z, 1) of the lidar onto pictures, by 4 x 4 matrices in row-major order.
type Calibration struct {
	R0 [16]float32
	P  [Cameras][16]float32
	Tr [Cameras][16]float32
}

// identityMatrix is the identity matrix.
var identityMatrix = [16]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}

// Painter adds scores to the points of pillars. Call Start, then AddCamera for each camera, then Finish. MaxPoints
// outside of all pillars cost no time. The zero value is ready for use, and memory is reused for the next cloud.
type Painter struct {
	pillars *Pillars
	sums    []float32 // Scores values per point
	seen    []uint8   // by point, one bit per camera
	hits    []int32   // points that a camera sees
	pixels  []int32   // pixels at which the points in hits are seen
	scores  []float32 // scores of some of the pixels
}

// maxHits is the number of pixels per call of score, so that their logits fit into a core's cache.
const maxHits = 2048

// Start begins painting pillars, which must not be refilled before Finish.
func (p *Painter) Start(pillars *Pillars) {
	n := len(pillars.rows)
	p.pillars = pillars
	p.seen = slices.Grow(p.seen[:0], n)[:n]
	clear(p.seen)
	p.sums = slices.Grow(p.sums[:0], n*Scores)[:n*Scores]
	clear(p.sums)
}

// AddCamera adds the scores of the pixels at which a camera sees points. s is the size of the camera's picture. score
// must write Scores values for each pixel; pixels are numbered row by row. Cameras must be added in the order 0 to 4,
// because sums depend on the order.
func (p *Painter) AddCamera(c *Calibration, camera int, s PictureSize, score func(dst []float32, pixels []int32)) {
	seer := c.newView(camera, s)
	p.findPoints(camera, &seer)
	for first := 0; first < len(p.hits); first += maxHits {
		hits := p.hits[first:min(first+maxHits, len(p.hits))]
		p.scores = slices.Grow(p.scores[:0], len(hits)*Scores)[:len(hits)*Scores]
		score(p.scores, p.pixels[first:][:len(hits)])
		for i, hit := range hits {
			sums, scores := (*[Scores]float32)(p.sums[int(hit)*Scores:]), (*[Scores]float32)(p.scores[i*Scores:])
			for s := range sums {
				sums[s] += scores[s]
			}
		}
	}
}

// Finish writes the scores into the pillars. It halves the scores of points seen by cameras 0 and 1, then those seen by
// 0 and 2, 1 and 3, and 2 and 4.
func (p *Painter) Finish() {
	for i, seen := range p.seen {
		if seen == 0 {
			continue
		}
		sums := (*[Scores]float32)(p.sums[i*Scores:])
		for _, pair := range [...]uint8{1<<0 | 1<<1, 1<<0 | 1<<2, 1<<1 | 1<<3, 1<<2 | 1<<4} {
			if seen&pair == pair {
				for k := range sums {
					sums[k] *= 0.5
				}
			}
		}
		*(*[Scores]float32)(p.pillars.Values[int(p.pillars.rows[i])*Painted+Values:]) = *sums
	}
	p.pillars = nil
}

// findPoints finds the points that a camera sees.
func (p *Painter) findPoints(k int, c *cameraView) {
	places := p.pillars.positions
	p.hits = slices.Grow(p.hits[:0], len(p.seen))[:len(p.seen)]
	ahead := c.findPointsAhead(p.hits, places)
	p.pixels = slices.Grow(p.pixels[:0], ahead)[:ahead]
	n := 0
	for _, i := range p.hits[:ahead] {
		point := (*[3]float32)(places[3*int(i):])
		if pixel := c.pixelAt(point[0], point[1], point[2]); pixel >= 0 {
			p.seen[i] |= 1 << k
			p.hits[n], p.pixels[n] = i, int32(pixel)
			n++
		}
	}
	p.hits, p.pixels = p.hits[:n], p.pixels[:n]
}

// PictureSize is the size of a picture, in pixels.
type PictureSize struct{ Height, Width int }

// cameraView is one camera of a calibration.
type cameraView struct {
	tr, r0, p     [16]float32
	width, height float32
	stride        int
	r0IsIdentity  bool // r0 is the identity matrix
}

func (c *Calibration) newView(k int, s PictureSize) cameraView {
	return cameraView{c.Tr[k], c.R0, c.P[k], float32(s.Width), float32(s.Height), s.Width, c.R0 == identityMatrix}
}

// findPointsAhead finds the points in front of the camera and returns their number.
func (c *cameraView) findPointsAhead(found []int32, places []float32) int {
	n, a, b, d, e := 0, c.tr[8], c.tr[9], c.tr[10], c.tr[11]
	for i := range found {
		point := (*[3]float32)(places[3*i:])
		found[n] = int32(i)
		if a*point[0]+b*point[1]+d*point[2]+e > 0 {
			n++
		}
	}
	return n
}

// pixelAt returns the number of the pixel at which the camera sees a point, computed in float32, or -1 if the point is
// outside the picture. The point must be in front of the camera.
func (c *cameraView) pixelAt(x, y, z float32) int {
	tr, p := &c.tr, &c.p
	depth := tr[8]*x + tr[9]*y + tr[10]*z + tr[11]
	q := pointVector{tr[0]*x + tr[1]*y + tr[2]*z + tr[3], tr[4]*x + tr[5]*y + tr[6]*z + tr[7], depth, 1}
	if !c.r0IsIdentity {
		r := &c.r0
		q = pointVector{q.timesRow(r[0:4]), q.timesRow(r[4:8]), q.timesRow(r[8:12]), q.timesRow(r[12:16])}
	}
	scale := q.timesRow(p[8:12])
	u := q.timesRow(p[0:4]) / scale
	if !(u > 0 && u < c.width) {
		return -1
	}
	v := q.timesRow(p[4:8]) / scale
	if !(v > 0 && v < c.height) {
		return -1
	}
	return int(v)*c.stride + int(u)
}

type pointVector struct{ x, y, z, w float32 }

// timesRow returns the dot product with a matrix row.
func (v pointVector) timesRow(row []float32) float32 {
	return row[0]*v.x + row[1]*v.y + row[2]*v.z + row[3]*v.w
}
