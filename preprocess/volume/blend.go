package volume

import "fmt"

// Blend joins the scores of windows to the classes of a volume. Its memory contains one layer of windows, not the
// volume, since a layer of half a window is complete once the windows have passed it. Blend is reused from volume to
// volume, by one goroutine at a time.
//
// Sums are in float32 and in the order of the windows, as in the reference, so every bit is the same.
type Blend struct {
	sliding *Sliding
	classes int

	shape   Shape
	result  []uint8
	sums    []float32 // [class][plane][height][width], of the planes done to done+window-1, plane z at z % window
	done    int       // planes of the result that are finished
	windows int       // how many windows were added
}

// NewBlend returns a Blend for networks with so many classes. It panics unless they are 2 to 255.
func NewBlend(s *Sliding, classes int) *Blend {
	if classes < 2 || classes > 255 {
		panic(fmt.Sprintf("volume.NewBlend: %d classes, want 2 to 255", classes))
	}
	return &Blend{sliding: s, classes: classes}
}

// Start begins a volume, whose shape must pass CheckShape. result gets the class of each voxel; it must stay
// the caller's until Finish.
func (b *Blend) Start(shape Shape, result []uint8) error {
	if err := b.sliding.CheckShape(shape, len(result)); err != nil {
		return err
	}
	b.shape, b.result, b.done, b.windows = shape, result, 0, 0
	b.sums = resizeSlice(b.sums, b.classes*b.sliding.window*shape[1]*shape[2])
	clear(b.sums)
	return nil
}

// Add adds the scores of the next window of AppendOrigins: float32 [class][depth][height][width].
func (b *Blend) Add(origin [3]int, scores []float32) error {
	if want := b.classes * b.sliding.Voxels(); len(scores) != want {
		return fmt.Errorf("%w: %d scores for a window, want %d: %d classes of %d voxels a side", ErrVolume, len(scores), want,
			b.classes, b.sliding.window)
	}
	if origin[0] < b.done {
		return fmt.Errorf("%w: window at %v after those of depth %d, want ascending order", ErrVolume, origin, b.done)
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
	b.windows++
	return nil
}

// addWeighted adds scores, weighed. The conversion keeps the compiler from fusing product and sum, which rounds
// differently.
func addWeighted(sums, scores, weights []float32) {
	scores, weights = scores[:len(sums)], weights[:len(sums)]
	for i := range sums {
		sums[i] += float32(scores[i] * weights[i])
	}
}

// Finish writes what is left to the result. An error says that windows are missing.
func (b *Blend) Finish() error {
	want := 1
	for _, n := range b.shape {
		want *= (n-b.sliding.window)/b.sliding.strideLength() + 1
	}
	if b.windows != want {
		return fmt.Errorf("%w: %d windows added, want the %d of shape %v", ErrVolume, b.windows, want, b.shape)
	}
	b.finishPlanes(b.shape[0])
	b.result = nil
	return nil
}

// sumsRow is the sums of a class along the width.
func (b *Blend) sumsRow(class, z, y int) []float32 {
	w := b.sliding.window
	return b.sums[((class*w+z%w)*b.shape[1]+y)*b.shape[2]:][:b.shape[2]]
}

// finishPlanes writes the classes of the planes before depth and clears their sums.
func (b *Blend) finishPlanes(depth int) {
	first := b.done
	splitRange((depth-first)*b.shape[1], func(from, to int) {
		c := newChooser(b)
		for line := from; line < to; line++ {
			c.chooseRow(first+line/b.shape[1], line%b.shape[1])
		}
	})
	b.done = depth
}

// rowChooser finishes rows.
type rowChooser struct {
	*Blend
	norm, best, score []float32
}

func newChooser(b *Blend) *rowChooser {
	memory := make([]float32, 3*b.shape[2])
	n := b.shape[2]
	return &rowChooser{b, memory[:n], memory[n:][:n], memory[2*n:]}
}

// chooseRow writes the class of the highest score of each voxel of a row, the first of equal ones. Scores are divided
// by the sum of the weights: that can make two of them equal.
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

// sumWeights sums the importance of all windows over a row, in their order.
func (c *rowChooser) sumWeights(z, y int) {
	clear(c.norm)
	w, stride := c.sliding.window, c.sliding.strideLength()
	for _, iz := range coveringWindows(z, w, stride, c.shape[0]) {
		for _, iy := range coveringWindows(y, w, stride, c.shape[1]) {
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

// coveringWindows returns where index i is in the two windows that cover it, the earlier window first; -1 where there
// is none.
func coveringWindows(i, window, stride, n int) [2]int {
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
