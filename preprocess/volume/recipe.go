package volume

import (
	"fmt"
	"math"
)

// Recipe prepares volumes for windows of one size. The zero value is not valid; see KiTS19.
type Recipe struct {
	window int
}

// KiTS19 returns the official recipe for windows with the given side in voxels; 128 in the benchmark. It panics unless
// window is a positive multiple of 4, because half a window and half a stride must be whole numbers.
func KiTS19(window int) Recipe {
	if window < 4 || window%4 != 0 {
		panic(fmt.Sprintf("volume.KiTS19: window of %d voxels, want a positive multiple of 4", window))
	}
	return Recipe{window}
}

// targetSpacing returns the spacing of the result's voxels in millimetres.
func targetSpacing() [3]float64 { return [3]float64{1.6, 1.2, 1.2} }

// Parameters of normalization. Hounsfield units are clipped and then normalized by the mean and deviation of the
// training data's kidneys.
const (
	minHU     = -79
	maxHU     = 304
	meanHU    = 101
	deviation = 76.9
	// paddingValue is the padding value after normalization, slightly below the minimum.
	paddingValue = -2.2
)

func normaliseHU(hu float32) float32 {
	return (min(max(hu, minHU), maxHU) - meanHU) / deviation
}

// PreparedShape returns the shape of a prepared volume. Each side is a multiple of half a window, and one window or
// more. spacing is the distance between voxels in millimetres.
func (r Recipe) PreparedShape(from Shape, spacing [3]float64) (Shape, error) {
	p, err := r.newPlan(from, spacing)
	if err != nil {
		return Shape{}, err
	}
	return p.resultShape(), nil
}

// resamplePlan describes how the three axes of a volume are resampled.
type resamplePlan struct {
	from Shape
	axes [3]axisTaps
}

func (p *resamplePlan) resultShape() Shape {
	return Shape{len(p.axes[0]), len(p.axes[1]), len(p.axes[2])}
}

func (r Recipe) newPlan(from Shape, spacing [3]float64) (*resamplePlan, error) {
	p, err := planResample(from, spacing)
	if err != nil {
		return nil, err
	}
	for k, a := range p.axes {
		p.axes[k] = a.padToMin(r.window).fitToStride(r.window / 2)
	}
	return p, nil
}

// planResample plans only the resampling.
func planResample(from Shape, spacing [3]float64) (*resamplePlan, error) {
	p := &resamplePlan{from: from}
	if err := from.checkVoxels(from.Voxels()); err != nil {
		return nil, err
	}
	for k, target := range targetSpacing() {
		if !(spacing[k] > 0) || math.IsInf(spacing[k], 1) {
			return nil, fmt.Errorf("%w: spacing %v mm, want numbers above 0", ErrVolume, spacing)
		}
		a, err := resampleAxis(from[k], spacing[k]/target)
		if err != nil {
			return nil, fmt.Errorf("axis %d, spacing %v mm: %w", k, spacing[k], err)
		}
		p.axes[k] = a
	}
	return p, nil
}

// PrepareImage prepares an image in Hounsfield units. dst is reused for the result if it is large enough. The caller
// owns the result. A value that is NaN or infinite is an error that names the voxel.
func (r Recipe) PrepareImage(dst, image []float32, from Shape, spacing [3]float64) ([]float32, Shape, error) {
	if err := from.checkVoxels(len(image)); err != nil {
		return nil, Shape{}, err
	}
	p, err := r.newPlan(from, spacing)
	if err != nil {
		return nil, Shape{}, err
	}
	minValue, err := minVoxel(image, from)
	if err != nil {
		return nil, Shape{}, err
	}
	shape := p.resultShape()
	dst = resizeSlice(dst, shape.Voxels())
	p.interpolateImage(dst, image, minValue, normaliseHU)
	return dst, shape, nil
}

// PrepareLabels prepares the classes of an image's voxels in the same way: resampled to the nearest neighbour and
// padded with 0, the background.
func (r Recipe) PrepareLabels(dst, labels []uint8, from Shape, spacing [3]float64) ([]uint8, Shape, error) {
	if err := from.checkVoxels(len(labels)); err != nil {
		return nil, Shape{}, err
	}
	p, err := r.newPlan(from, spacing)
	if err != nil {
		return nil, Shape{}, err
	}
	shape := p.resultShape()
	dst = resizeSlice(dst, shape.Voxels())
	p.pickNearest(dst, labels)
	return dst, shape, nil
}

// resizeSlice returns a slice of n elements. It reuses dst's memory if it is large enough.
func resizeSlice[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	return dst[:n]
}

// minVoxel returns the minimum of an image, which is the value outside of the source.
func minVoxel(image []float32, shape Shape) (float32, error) {
	minValue := image[0]
	for i, v := range image {
		if v < minValue {
			minValue = v
		}
		if v-v != 0 { // NaN and infinities
			plane := shape[1] * shape[2]
			return 0, fmt.Errorf("%w: voxel (%d, %d, %d) is %v, want a finite number", ErrVolume, i/plane,
				i%plane/shape[2], i%shape[2], v)
		}
	}
	return minValue, nil
}
