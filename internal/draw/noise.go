package draw

// Noise is a smooth random texture (value noise): random values on a lattice of square cells, with interpolation
// between.
type Noise struct {
	cellSize int
	weight   []int // smoothstep across a cell, 0 to One
	random   uint64
	above    []int // the lattice line above the current row
	below    []int
	blended  []int
	line     int
}

// NewNoise returns a texture for rows of up to width pixels. cell is the side of a lattice cell in pixels.
func NewNoise(r *Random, cell, width int) *Noise {
	n := &Noise{cellSize: cell, weight: make([]int, cell), random: r.Uint64(), line: -1}
	for i := range n.weight {
		t := i * Unit / cell
		n.weight[i] = t * t * (3*Unit - 2*t) >> 16
	}
	points := width/cell + 2
	n.above, n.below, n.blended = make([]int, points), make([]int, points), make([]int, points)
	return n
}

// AddRow adds row y of the texture to out, with values of -amplitude to +amplitude. It is fastest for ascending rows.
func (n *Noise) AddRow(out []int, y, amplitude int) {
	if line := y / n.cellSize; line != n.line {
		n.fillLattice(n.above, line)
		n.fillLattice(n.below, line+1)
		n.line = line
	}
	t := n.weight[y%n.cellSize]
	for i, a := range n.above {
		n.blended[i] = (a + (n.below[i]-a)*t>>8) * amplitude
	}
	for i, x := 0, 0; x < len(out); i, x = i+1, x+n.cellSize {
		from, step := n.blended[i], n.blended[i+1]-n.blended[i]
		for j, w := range n.weight[:min(n.cellSize, len(out)-x)] {
			out[x+j] += (from + step*w>>8) >> 8
		}
	}
}

// fillLattice sets out to the random values of one lattice line, -256 to 255.
func (n *Noise) fillLattice(out []int, line int) {
	r := NewRandom(n.random, uint64(line))
	for i := range out {
		out[i] = r.IntBelow(2*Unit) - Unit
	}
}
