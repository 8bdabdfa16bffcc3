package volumes

import "github.com/plumbline-ml/plumbline/internal/draw"

// texture is smooth random variation in three dimensions: random values on a lattice of cubes, with linear
// interpolation. It is sampled row by row, at the same positions along the width in each row.
type texture struct {
	cell   int // side of a cube, 1/256 mm
	size   [3]int
	values []int // -256 to 255
	places []place
}

// place is a voxel's position along the width: the number of the lattice point before it, and the distance from that
// point in 1/256.
type place struct{ cell, share int }

// newTexture returns a texture for a box from the origin to extent, with voxels at distances of step along the width.
func newTexture(r *draw.Random, cell int, extent point, step int) *texture {
	t := &texture{cell: cell, places: make([]place, extent[2]/step)}
	n := 1
	for k := range t.size {
		t.size[k] = extent[k]/cell + 2
		n *= t.size[k]
	}
	t.values = make([]int, n)
	for i := range t.values {
		t.values[i] = r.IntBelow(512) - 256
	}
	for i := range t.places {
		x := i * step
		t.places[i] = place{x / cell, x % cell * 256 / cell}
	}
	return t
}

// fillRow fills out with the texture at depth z and height y, which must be within the box.
func (t *texture) fillRow(out []int, z, y int) {
	iz, fz := z/t.cell, z%t.cell*256/t.cell
	iy, fy := y/t.cell, y%t.cell*256/t.cell
	lines := [4][]int{t.line(iz, iy), t.line(iz, iy+1), t.line(iz+1, iy), t.line(iz+1, iy+1)}
	at := func(i int) int {
		near := lines[0][i] + (lines[1][i]-lines[0][i])*fy>>8
		far := lines[2][i] + (lines[3][i]-lines[2][i])*fy>>8
		return near + (far-near)*fz>>8
	}
	cell, from, to := -1, 0, 0
	for i, p := range t.places[:len(out)] {
		if p.cell != cell {
			cell = p.cell
			from, to = at(cell), at(cell+1)
		}
		out[i] = from + (to-from)*p.share>>8
	}
}

// line returns the lattice's values along the width.
func (t *texture) line(iz, iy int) []int {
	return t.values[(iz*t.size[1]+iy)*t.size[2]:][:t.size[2]]
}
