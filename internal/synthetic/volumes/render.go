package volumes

import "github.com/plumbline-ml/plumbline/internal/draw"

// sublayers is the number of layers that a slice averages over its thickness, for the partial volumes of thick slices.
const sublayers = 3

// scan is a phantom that is sampled slice by slice.
type scan struct {
	bodies  []*body // painted in order
	spacing point
	shape   [3]int
	edge    int // blur of surfaces within a slice
	noise   int // standard deviation, HU
	air     int // HU around all bodies
	rough   *texture
	grain   *texture
	random  *draw.Random
}

// row is a line of voxels that is painted.
type row struct {
	z, y         int // position, 1/256 mm
	hu           []int
	rough, grain []int // textures
	labels       []uint8
	labelled     bool // labels are required: this layer is the middle of its slice
}

func (s *scan) extent() point {
	var e point
	for k := range e {
		e[k] = s.shape[k] * s.spacing[k]
	}
	return e
}

// millimetres returns the spacing, which a float32 represents exactly.
func (s *scan) millimetres() (m [3]float64) {
	for k := range m {
		m[k] = float64(s.spacing[k]) / mm
	}
	return m
}

// sample renders the volume.
func (s *scan) sample() *Volume {
	v := &Volume{Shape: s.shape, Spacing: s.millimetres()}
	n := s.shape[0] * s.shape[1] * s.shape[2]
	v.Values, v.Labels = make([]float32, n), make([]uint8, n)
	width := s.shape[2]
	r := &row{hu: make([]int, width), rough: make([]int, width), grain: make([]int, width)}
	sum := make([]int, width)
	for line := range s.shape[0] * s.shape[1] {
		z, y := line/s.shape[1], line%s.shape[1]
		r.labels = v.Labels[line*width:][:width]
		clear(sum)
		for layer := range sublayers {
			r.z, r.y = z*s.spacing[0]+(2*layer+1)*s.spacing[0]/(2*sublayers), y*s.spacing[1]+s.spacing[1]/2
			r.labelled = layer == sublayers/2
			s.paint(r)
			for x, hu := range r.hu {
				sum[x] += hu
			}
		}
		for x, hu := range sum {
			v.Values[line*width+x] = float32(min(max(hu/sublayers+s.drawNoise(), -1024), 3071))
		}
	}
	return v
}

// drawNoise draws a value of the noise: the sum of four uniform numbers, which is approximately normal.
func (s *scan) drawNoise() int {
	w := s.random.Uint64()
	sum := int(w&0xffff) + int(w>>16&0xffff) + int(w>>32&0xffff) + int(w>>48) - 2*0xffff
	return sum * s.noise / 37837 // deviation of the sum: 65536 / sqrt(3)
}

// paint paints all bodies on a row, one over the other.
func (s *scan) paint(r *row) {
	for x := range r.hu {
		r.hu[x] = s.air
	}
	s.rough.fillRow(r.rough, r.z, r.y)
	s.grain.fillRow(r.grain, r.z, r.y)
	for _, b := range s.bodies {
		s.paintBody(r, b)
	}
}

func (s *scan) paintBody(r *row, b *body) {
	reach := b.reach()
	if abs(r.z-b.at[0]) > reach || abs(r.y-b.at[1]) > reach {
		return
	}
	step := s.spacing[2]
	first := max((b.at[2]-reach)/step, 0)
	end := min((b.at[2]+reach)/step+1, len(r.hu))
	c := b.cutWithRow(r.z, r.y, first*step+step/2, step, s.edge)
	for x := first; x < end; x++ {
		level := c.level(x-first, r.rough[x])
		cover := c.cover(level)
		if cover == 0 {
			continue
		}
		r.hu[x] += (b.hu + b.grain*r.grain[x]>>8 - r.hu[x]) * cover >> 8
		if r.labelled && b.named && level < surface {
			r.labels[x] = b.label
		}
	}
}
