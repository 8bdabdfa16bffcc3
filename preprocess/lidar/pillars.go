package lidar

import (
	"fmt"
	"math"
)

// Grid sorts points into the cells of a space that are one beside the other, not above: pillars.
type Grid struct {
	Space
	Size   [3]float32 // of a cell, in metres
	Points int        // that a pillar takes at most
	Most   int        // pillars
	cells  [2]int     // of the space, along x and y
}

// mostCells bounds the memory of a grid: 64 MiB.
const mostCells = 1 << 24

// NewGrid is a grid of a space.
func NewGrid(s Space, size [3]float32, points, most int) (*Grid, error) {
	g := &Grid{Space: s, Size: size, Points: points, Most: most}
	var n [3]int
	for k := range n {
		if !(size[k] > 0) || !(s.High[k] > s.Low[k]) {
			return nil, fmt.Errorf("cells of %v m from %v to %v, want more than 0 of both", size[k], s.Low[k], s.High[k])
		}
		cells := math.Round((float64(s.High[k]) - float64(s.Low[k])) / float64(size[k]))
		if cells < 1 || cells > mostCells {
			return nil, fmt.Errorf("%v cells from %v to %v, want 1 to %d", cells, s.Low[k], s.High[k], mostCells)
		}
		n[k] = int(cells)
	}
	switch {
	case n[2] != 1:
		return nil, fmt.Errorf("%d cells above one another, want 1: pillars are as high as the space", n[2])
	case n[0]*n[1] > mostCells:
		return nil, fmt.Errorf("%d x %d cells, want at most %d", n[0], n[1], mostCells)
	case points < 1 || most < 1:
		return nil, fmt.Errorf("%d pillars of %d points, want at least 1 of both", most, points)
	case points > math.MaxInt32/Painted/most:
		return nil, fmt.Errorf("%d pillars of %d points, want at most %d points in all", most, points, math.MaxInt32/Painted)
	}
	g.cells = [2]int{n[0], n[1]}
	return g, nil
}

// Cells are how many there are along x and y.
func (g *Grid) Cells() (x, y int) { return g.cells[0], g.cells[1] }

// Pillars are the points of a cloud by cells. Their memory is used again by the next cloud.
type Pillars struct {
	Values      []float32 // [pillars, Grid.Points, Painted]; 0 where a pillar has fewer points
	Coordinates []int64   // [pillars, 4]: 0, cell along x, cell along y, 0
	Counts      []int32   // [pillars]: points of each
	Dropped     int       // points of pillars that were full, or after the last pillar that there may be

	of []int32 // by cell, the number of its pillar and 1; 0: none
}

// Fill sorts points, of Painted numbers each, into pillars, which are in the order of their first points. A full pillar
// takes no more; where one more pillar is needed than there may be, all points from there on are dropped, also those of
// pillars that there are. Cells are found in float32, as floor((x - low) / size): a point on an upper face is in none.
func (p *Pillars) Fill(g *Grid, points []float32) {
	p.reset(g)
	full := g.Points * Painted
	for at := 0; at+Painted <= len(points); at += Painted {
		point := points[at:][:Painted]
		x, y, ok := g.cell(point[0], point[1], point[2])
		if !ok {
			continue
		}
		cell := &p.of[y*g.cells[0]+x]
		if *cell == 0 {
			if len(p.Counts) == g.Most {
				p.Dropped += (len(points) - at) / Painted
				return
			}
			p.Coordinates = append(p.Coordinates, 0, int64(x), int64(y), 0)
			p.Counts = append(p.Counts, 0)
			p.grow(full * len(p.Counts))
			*cell = int32(len(p.Counts))
		}
		pillar := int(*cell) - 1
		n := int(p.Counts[pillar])
		if n == g.Points {
			p.Dropped++
			continue
		}
		copy(p.Values[pillar*full+n*Painted:][:Painted], point)
		p.Counts[pillar]++
	}
}

// cell is where a point lies.
func (g *Grid) cell(x, y, z float32) (cx, cy int, ok bool) {
	fx, fy, fz := (x-g.Low[0])/g.Size[0], (y-g.Low[1])/g.Size[1], (z-g.Low[2])/g.Size[2]
	if !(fx >= 0 && fx < float32(g.cells[0]) && fy >= 0 && fy < float32(g.cells[1]) && fz >= 0 && fz < 1) {
		return 0, 0, false
	}
	return int(fx), int(fy), true
}

// grow makes room, of which all that no point has is 0.
func (p *Pillars) grow(n int) {
	if n <= cap(p.Values) {
		p.Values = p.Values[:n]
		return
	}
	larger := make([]float32, n, 2*n)
	copy(larger, p.Values)
	p.Values = larger
}

// reset clears what the last cloud left.
func (p *Pillars) reset(g *Grid) {
	if cells := g.cells[0] * g.cells[1]; len(p.of) != cells {
		p.of = make([]int32, cells)
	}
	if n := len(p.Counts); n > 0 {
		full := len(p.Values) / n
		for i, count := range p.Counts {
			clear(p.Values[i*full:][:int(count)*Painted])
			p.of[int(p.Coordinates[4*i+2])*g.cells[0]+int(p.Coordinates[4*i+1])] = 0
		}
	}
	p.Values, p.Coordinates, p.Counts, p.Dropped = p.Values[:0], p.Coordinates[:0], p.Counts[:0], 0
}
