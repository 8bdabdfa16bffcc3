package volume

import (
	"fmt"
	"math"
)

// Sliding is a window that moves over volumes in steps of half its side. It is immutable and may be used from many
// goroutines.
type Sliding struct {
	window     int
	importance []float32
}

// NewSliding returns a sliding window with the given side in voxels, which must be an even number of 2 or more.
func NewSliding(window int) (*Sliding, error) {
	if window < 2 || window%2 != 0 || window > maxSide {
		return nil, fmt.Errorf("%w: window of %d voxels, want an even number of 2 to %d", ErrVolume, window, maxSide)
	}
	return &Sliding{window, windowImportance(window)}, nil
}

// Window returns the side of the window in voxels.
func (s *Sliding) Window() int { return s.window }

// Voxels returns the number of voxels of a window.
func (s *Sliding) Voxels() int { return s.window * s.window * s.window }

func (s *Sliding) strideLength() int { return s.window / 2 }

// Importance returns the weight of each voxel of a window, which is 1 at its centre. It is the cube root of a Gaussian
// whose deviation along each axis is an eighth of the window. The caller must not change it.
func (s *Sliding) Importance() []float32 { return s.importance }

func windowImportance(window int) []float32 {
	line := make([]float64, window)
	sigma := float64(window) / 8
	for i := range line {
		n := float64(i) - float64(window-1)/2
		line[i] = math.Exp(-(n * n) / (2 * sigma * sigma))
	}
	peak := math.Cbrt(line[window/2] * line[window/2] * line[window/2])
	cube := make([]float32, 0, window*window*window)
	for _, z := range line {
		for _, y := range line {
			for _, x := range line {
				cube = append(cube, float32(math.Cbrt(z*y*x)/peak))
			}
		}
	}
	return cube
}

// CheckShape checks that windows cover a volume completely. Each side must be a multiple of half a window, and one
// window or more.
func (s *Sliding) CheckShape(shape Shape, values int) error {
	if err := shape.checkVoxels(values); err != nil {
		return err
	}
	for _, n := range shape {
		if n < s.window || n%s.strideLength() != 0 {
			return fmt.Errorf("%w: shape %v, want each side at least %d and a multiple of %d: prepare it for windows of %d",
				ErrVolume, shape, s.window, s.strideLength(), s.window)
		}
	}
	return nil
}

// AppendOrigins appends the first voxel of each window of a volume that passes CheckShape, in the order of inference:
// depth varies slowest, width fastest.
func (s *Sliding) AppendOrigins(dst [][3]int, shape Shape) [][3]int {
	for z := 0; z+s.window <= shape[0]; z += s.strideLength() {
		for y := 0; y+s.window <= shape[1]; y += s.strideLength() {
			for x := 0; x+s.window <= shape[2]; x += s.strideLength() {
				dst = append(dst, [3]int{z, y, x})
			}
		}
	}
	return dst
}

// CutWindow copies a window of a volume to dst, which must have room for Voxels values.
func (s *Sliding) CutWindow(dst, image []float32, shape Shape, origin [3]int) {
	w := s.window
	splitRange(w, func(from, to int) {
		for z := from; z < to; z++ {
			for y := range w {
				at := ((origin[0]+z)*shape[1]+origin[1]+y)*shape[2] + origin[2]
				copy(dst[(z*w+y)*w:][:w], image[at:])
			}
		}
	})
}
