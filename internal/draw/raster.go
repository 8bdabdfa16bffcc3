package draw

import "slices"

// Path is a set of closed contours, filled by the even-odd rule.
type Path [][]Point

// Transform returns the path transformed by a pose.
func (p Path) Transform(pose Pose) Path {
	placed := make(Path, len(p))
	for i, contour := range p {
		placed[i] = make([]Point, len(contour))
		for j, q := range contour {
			placed[i][j] = pose.Apply(q)
		}
	}
	return placed
}

// sublines is the number of scan lines sampled per row of pixels. Coverage is exact along x.
const sublines = 4

type edge struct{ top, bottom Point }

// raster computes the coverage of a path, row by row. The zero value is ready for use. It reuses its memory.
type raster struct {
	edges     []edge
	crossings []int
	cover     []int // coverage of the current row, 0 to One
}

// eachRow calls visit for each row of pixels in [0, height) that the path touches. cover contains the coverage (0 to
// One) of the pixels from x0 on and is valid during the call.
func (r *raster) eachRow(p Path, width, height int, visit func(y, x0 int, cover []int)) {
	r.loadEdges(p)
	if len(r.edges) == 0 {
		return
	}
	top, bottom := r.verticalSpan()
	r.cover = append(r.cover[:0], make([]int, width)...)
	for y := max(top>>8, 0); y <= min(bottom>>8, height-1); y++ {
		x0, x1 := r.coverRow(y, width)
		if x0 < x1 {
			visit(y, x0, r.cover[x0:x1])
			clear(r.cover[x0:x1])
		}
	}
}

// loadEdges lists the edges that are not horizontal, top end first.
func (r *raster) loadEdges(p Path) {
	r.edges = r.edges[:0]
	for _, contour := range p {
		a := contour[len(contour)-1]
		for _, b := range contour {
			switch {
			case a.Y < b.Y:
				r.edges = append(r.edges, edge{a, b})
			case a.Y > b.Y:
				r.edges = append(r.edges, edge{b, a})
			}
			a = b
		}
	}
}

func (r *raster) verticalSpan() (top, bottom int) {
	top, bottom = r.edges[0].top.Y, r.edges[0].bottom.Y
	for _, e := range r.edges {
		top, bottom = min(top, e.top.Y), max(bottom, e.bottom.Y)
	}
	return top, bottom
}

// coverRow computes the coverage of row y and returns the range of pixels that the path touches.
func (r *raster) coverRow(y, width int) (x0, x1 int) {
	x0, x1 = width, 0
	for s := range sublines {
		r.listCrossings(y*Unit + s*Unit/sublines + Unit/sublines/2)
		for i := 0; i+1 < len(r.crossings); i += 2 {
			from := max(r.crossings[i], 0)
			to := min(r.crossings[i+1], width*Unit)
			if from < to {
				r.addCoverage(from, to)
				x0, x1 = min(x0, from>>8), max(x1, (to+Unit-1)>>8)
			}
		}
	}
	return x0, x1
}

// listCrossings lists the x coordinates of all edges at height y in ascending order.
func (r *raster) listCrossings(y int) {
	r.crossings = r.crossings[:0]
	for _, e := range r.edges {
		if e.top.Y <= y && y < e.bottom.Y {
			x := e.top.X + (y-e.top.Y)*(e.bottom.X-e.top.X)/(e.bottom.Y-e.top.Y)
			r.crossings = append(r.crossings, x)
		}
	}
	slices.Sort(r.crossings)
}

// addCoverage adds the coverage of [from, to), in 1/256 pixel, on one scan line.
func (r *raster) addCoverage(from, to int) {
	first, last := from>>8, (to-1)>>8
	if first == last {
		r.cover[first] += (to - from) / sublines
		return
	}
	r.cover[first] += (Unit - from&(Unit-1)) / sublines
	for x := first + 1; x < last; x++ {
		r.cover[x] += Unit / sublines
	}
	r.cover[last] += ((to-1)&(Unit-1) + 1) / sublines
}
