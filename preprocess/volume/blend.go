package volume

import "fmt"

// Blend combines the scores of windows to the classes of a volume. Its memory contains only one layer of windows,
// because a layer of half a window is complete after the windows have passed it. Blend can be reused for further
// volumes, by one goroutine at a time.
//
// Sums are in float32 and in the order of the windows, as in the reference, so the results are identical.
type Blend struct {
	sliding *Sliding
	classes int

	shape       Shape
	result      []uint8
	sums        []float32 // [class][plane][height][width] for the planes done to done+window-1; plane z is at z % window
	donePlanes  int       // number of finished planes of the result
	windowCount int       // number of windows added
}

// NewBlend returns a Blend for networks with the given number of classes. It panics unless the number is 2 to 255.
func NewBlend(s *Sliding, classes int) *Blend {
	if classes < 2 || classes > 255 {
		panic(fmt.Sprintf("volume.NewBlend: %d classes, want 2 to 255", classes))
	}
	return &Blend{sliding: s, classes: classes}
}

// Start begins a volume, whose shape must pass CheckShape. The class of each voxel is written to result. The caller
// must not use result before Finish.
func (b *Blend) Start(shape Shape, result []uint8) error {
	if err := b.sliding.CheckShape(shape, len(result)); err != nil {
		return err
	}
	b.shape, b.result, b.donePlanes, b.windowCount = shape, result, 0, 0
	b.sums = resizeSlice(b.sums, b.classes*b.sliding.window*shape[1]*shape[2])
	clear(b.sums)
	return nil
}

// Add adds the scores of the next window in the order of AppendOrigins: float32 [class][depth][height][width].
func (b *Blend) Add(origin [3]int, scores []float32) error {
	if want := b.classes * b.sliding.Voxels(); len(scores) != want {
		return fmt.Errorf("%w: %d scores for a window, want %d: %d classes of %d voxels a side", ErrVolume, len(scores), want,
			b.classes, b.sliding.window)
	}
	if origin[0] < b.donePlanes {
		return fmt.Errorf("%w: window at %v after those of depth %d, want ascending order", ErrVolume, origin, b.donePlanes)
	}
	b.finishPlanes(origin[0])
	w, cube := b.sliding.window, b.sliding.importance
	splitRange(b.classes*w, func(from, to int) {
		for plane := from; plane < to; plane++ {
			class, z := plane/w, plane%w
			for y := range w {
				sums := b.sumsRow(class, origin[0]+z, origin[1]+y)[origin[2]:][:w]
				addWeighted(sums, scores[(plane*w+y)*w:][:w], cube[(z*w+y)*w:][:w])
			}
		}
	})
	b.windowCount++
	return nil
}

// addWeighted adds weighted scores. The conversion prevents the compiler from fusing product and sum, whose rounding
// would differ.
func addWeighted(sums, scores, weights []float32) {
	scores, weights = scores[:len(sums)], weights[:len(sums)]
	for i := range sums {
		sums[i] += float32(scores[i] * weights[i])
	}
}

// Finish writes the remaining classes to the result. It returns an error if windows are missing.
func (b *Blend) Finish() error {
	want := 1
	for _, n := range b.shape {
		want *= (n-b.sliding.window)/b.sliding.strideLength() + 1
	}
	if b.windowCount != want {
		return fmt.Errorf("%w: %d windows added, want the %d of shape %v", ErrVolume, b.windowCount, want, b.shape)
	}
	b.finishPlanes(b.shape[0])
	b.result = nil
	return nil
}

// sumsRow returns the sums of a class along the width.
func (b *Blend) sumsRow(class, z, y int) []float32 {
	w := b.sliding.window
	return b.sums[((class*w+z%w)*b.shape[1]+y)*b.shape[2]:][:b.shape[2]]
}

// finishPlanes writes the classes of the planes before depth and clears their sums.
func (b *Blend) finishPlanes(depth int) {
	first := b.donePlanes
	splitRange((depth-first)*b.shape[1], func(from, to int) {
		c := newRowChooser(b)
		for line := from; line < to; line++ {
			c.chooseRow(first+line/b.shape[1], line%b.shape[1])
		}
	})
	b.donePlanes = depth
}

// rowChooser computes the classes of rows.
type rowChooser struct {
	*Blend
	norm, best, score []float32
}

func newRowChooser(b *Blend) *rowChooser {
	memory := make([]float32, 3*b.shape[2])
	n := b.shape[2]
	return &rowChooser{b, memory[:n], memory[n:][:n], memory[2*n:]}
}

// chooseRow writes the class with the highest score for each voxel of a row. Of equal scores, the first class counts.
// Scores are divided by the sum of the weights, because this can make two of them equal.
func (c *rowChooser) chooseRow(z, y int) {
	c.sumWeights(z, y)
	result := c.result[(z*c.shape[1]+y)*c.shape[2]:][:c.shape[2]]
	for class := range c.classes {
		sums := c.sumsRow(class, z, y)
		for x, norm := range c.norm {
			score := sums[x] / norm
			if class == 0 || score > c.best[x] || score != score && c.best[x] == c.best[x] {
				c.best[x], result[x] = score, uint8(class)
			}
		}
		clear(sums)
	}
}

// sumWeights sums the importance of all windows over a row, in the order of the windows.
func (c *rowChooser) sumWeights(z, y int) {
	clear(c.norm)
	w, stride := c.sliding.window, c.sliding.strideLength()
	for _, iz := range findCoveringWindows(z, w, stride, c.shape[0]) {
		for _, iy := range findCoveringWindows(y, w, stride, c.shape[1]) {
			if iz < 0 || iy < 0 {
				continue
			}
			line := c.sliding.importance[(iz*w+iy)*w:][:w]
			for x := 0; x+w <= c.shape[2]; x += stride {
				norm := c.norm[x:][:w]
				for i, v := range line {
					norm[i] += v
				}
			}
		}
	}
}

// findCoveringWindows returns the positions of index i in the two windows that cover it, earlier window first. A
// position is -1 if there is no such window.
func findCoveringWindows(i, window, stride, n int) [2]int {
	later := i / stride * stride
	earlier := later - stride
	places := [2]int{i - earlier, i - later}
	if earlier < 0 {
		places[0] = -1
	}
	if later+window > n {
		places[1] = -1
	}
	return places
}
