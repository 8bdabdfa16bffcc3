package lidar

import (
	"fmt"
	"math"
	"slices"
)

// Grid assigns points to pillars, which are the cells of a horizontal grid over a space.
type Grid struct {
	Space
	CellSize   [3]float32 // size of a cell in metres
	MaxPoints  int        // maximum number of points per pillar
	MaxPillars int        // maximum number of pillars
	cells      [2]int     // number of cells along x and y
}

// maxCells limits the memory of a grid to 64 MiB.
const maxCells = 1 << 24

// NewGrid returns a grid over a space.
func NewGrid(s Space, size [3]float32, points, maxPillars int) (*Grid, error) {
	g := &Grid{Space: s, CellSize: size, MaxPoints: points, MaxPillars: maxPillars}
	var n [3]int
	for k := range n {
		if !(size[k] > 0) || !(s.High[k] > s.Low[k]) {
			return nil, fmt.Errorf("cells of %v m from %v to %v, want more than 0 of both", size[k], s.Low[k], s.High[k])
		}
		cells := math.Round((float64(s.High[k]) - float64(s.Low[k])) / float64(size[k]))
		if cells < 1 || cells > maxCells {
			return nil, fmt.Errorf("%v cells from %v to %v, want 1 to %d", cells, s.Low[k], s.High[k], maxCells)
		}
		n[k] = int(cells)
	}
	switch {
	case n[2] != 1:
		return nil, fmt.Errorf("%d cells above one another, want 1: pillars are as high as the space", n[2])
	case n[0]*n[1] > maxCells:
		return nil, fmt.Errorf("%d x %d cells, want at most %d", n[0], n[1], maxCells)
	case points < 1 || maxPillars < 1:
		return nil, fmt.Errorf("%d pillars of %d points, want at least 1 of both", maxPillars, points)
	case points > math.MaxInt32/Painted/maxPillars:
		return nil, fmt.Errorf("%d pillars of %d points, want at most %d points in all", maxPillars, points,
			math.MaxInt32/Painted)
	}
	g.cells = [2]int{n[0], n[1]}
	return g, nil
}

// Cells returns the number of cells along x and y.
func (g *Grid) Cells() (x, y int) { return g.cells[0], g.cells[1] }

// Pillars contains the points of a cloud by cell. Memory is reused for the next cloud.
type Pillars struct {
	Values      []float32 // [pillars, Grid.Points, Painted]; 0 if a pillar has fewer points
	Coordinates []int64   // [pillars, 4]: 0, cell along x, cell along y, 0
	Counts      []int32   // [pillars]: number of points
	// number of points that were dropped because their pillar was full or there were too many pillars
	Dropped int

	pillarOfCell []int32   // by cell: index of its pillar plus 1; 0: none
	cellOfPillar []int32   // by pillar: index of its cell
	positions    []float32 // x, y and z of the kept points, in order
	rows         []int32   // by kept point: its row in Values
}

// Fill assigns points, of pointValues values each, to pillars. pointValues is either Values, which sets scores to 0, or
// Painted. Pillars are in the order of their first points. Further points of a full pillar are dropped. If there are
// too many pillars, all points from that position on are dropped, even those of existing pillars. Cells are computed in
// float32 as floor((x - low) / size). A point on an upper face is in no cell.
func (p *Pillars) Fill(g *Grid, points []float32, pointValues int) {
	p.clearCloud(g)
	n := len(points) / pointValues
	p.positions, p.rows = slices.Grow(p.positions[:0], 3*n)[:3*n], slices.Grow(p.rows[:0], n)[:n]
	kept := 0
	for i := range n {
		point := points[i*pointValues:][:pointValues]
		x, y, ok := g.findCell(point[0], point[1], point[2])
		if !ok {
			continue
		}
		cell := &p.pillarOfCell[y*g.cells[0]+x]
		if *cell == 0 {
			if len(p.Counts) == g.MaxPillars {
				p.Dropped += n - i
				break
			}
			p.addPillar(g, x, y)
			*cell = int32(len(p.Counts))
		}
		pillar := int(*cell) - 1
		count := int(p.Counts[pillar])
		if count == g.MaxPoints {
			p.Dropped++
			continue
		}
		p.Counts[pillar]++
		row := pillar*g.MaxPoints + count
		copied := p.Values[row*Painted:][:Painted]
		*(*[Values]float32)(copied) = [Values]float32(point)
		if pointValues > Values {
			copy(copied[Values:], point[Values:])
		}
		*(*[3]float32)(p.positions[3*kept:]) = [3]float32(point)
		p.rows[kept] = int32(row)
		kept++
	}
	p.positions, p.rows = p.positions[:3*kept], p.rows[:kept]
}

// PillarPoints returns the points of pillar i, Painted values each.
func (p *Pillars) PillarPoints(i int) []float32 {
	full := len(p.Values) / len(p.Counts)
	return p.Values[i*full:][:int(p.Counts[i])*Painted]
}

// addPillar adds an empty pillar for a cell.
func (p *Pillars) addPillar(g *Grid, x, y int) {
	p.Coordinates = append(p.Coordinates, 0, int64(x), int64(y), 0)
	p.Counts, p.cellOfPillar = append(p.Counts, 0), append(p.cellOfPillar, int32(y*g.cells[0]+x))
	p.growValues(g.MaxPoints * Painted * len(p.Counts))
}

// findCell returns the cell of a point. ok is false outside the space.
func (g *Grid) findCell(x, y, z float32) (cx, cy int, ok bool) {
	fx, fy, fz := (x-g.Low[0])/g.CellSize[0], (y-g.Low[1])/g.CellSize[1], (z-g.Low[2])/g.CellSize[2]
	if !(fx >= 0 && fx < float32(g.cells[0]) && fy >= 0 && fy < float32(g.cells[1]) && fz >= 0 && fz < 1) {
		return 0, 0, false
	}
	return int(fx), int(fy), true
}

// growValues makes room for n values and sets unused ones to 0.
func (p *Pillars) growValues(n int) {
	if n <= cap(p.Values) {
		p.Values = p.Values[:n]
		return
	}
	larger := make([]float32, n, 2*n)
	copy(larger, p.Values)
	p.Values = larger
}

// clearCloud clears the values of the previous cloud.
func (p *Pillars) clearCloud(g *Grid) {
	for i, cell := range p.cellOfPillar {
		clear(p.PillarPoints(i))
		p.pillarOfCell[cell] = 0
	}
	if cells := g.cells[0] * g.cells[1]; len(p.pillarOfCell) != cells {
		p.pillarOfCell = make([]int32, cells)
	}
	p.Values, p.Coordinates, p.Counts, p.Dropped = p.Values[:0], p.Coordinates[:0], p.Counts[:0], 0
	p.cellOfPillar = p.cellOfPillar[:0]
}
