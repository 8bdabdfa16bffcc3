package volume

import (
	"context"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// Box is a part of a volume. It starts at voxel Low and has Size voxels along each axis.
type Box struct{ Low, Size Shape }

// HeadRecipe prepares heads of several channels for a network with a fixed input shape. See BraTS.
type HeadRecipe struct{ padded Shape }

// BraTS returns the official recipe of BraTS 2019 for a network with the given input shape. It is 224 x 224 x 160 in
// the benchmark.
func BraTS(padded Shape) HeadRecipe { return HeadRecipe{padded} }

// PaddedShape returns the shape of prepared channels.
func (r HeadRecipe) PaddedShape() Shape { return r.padded }

// FindBox returns the smallest box that contains all non-zero voxels of all channels. If there are none, it returns an
// error.
func (r HeadRecipe) FindBox(channels [][]float32, from Shape) (Box, error) {
	if err := checkChannels(channels, from); err != nil {
		return Box{}, err
	}
	return findNonZeroBox(channels, from)
}

// PaddingBefore returns the number of padding voxels before a head of the given size along each axis: half of the
// missing voxels, rounded down. A size larger than the network's input is an error, because the head would have to be
// cut.
func (r HeadRecipe) PaddingBefore(size Shape) (before Shape, err error) {
	for k := range before {
		if size[k] < 1 || size[k] > r.padded[k] {
			return before, fmt.Errorf("%w: a head of %v voxels, want 1 to %v as the network's input has", ErrVolume, size,
				r.padded)
		}
		before[k] = (r.padded[k] - size[k]) / 2
	}
	return before, nil
}

// PrepareImage prepares channels. The result contains them one after the other in C order, each in the padded shape.
// The head consists of the non-zero voxels and of enclosed zeros, from which no path of zeros leads to the border of
// the box. Within the head, each channel is normalized to mean 0 and deviation 1, with float32 sums in the order of
// NumPy; NaN counts as 0. All other voxels are 0. dst is reused for the result if it is large enough. The caller owns
// the result.
func (r HeadRecipe) PrepareImage(dst []float32, channels [][]float32, from Shape) ([]float32, Box, error) {
	box, err := r.FindBox(channels, from)
	if err != nil {
		return nil, box, err
	}
	before, err := r.PaddingBefore(box.Size)
	if err != nil {
		return nil, box, err
	}
	inside := findHeadMask(channels, from, box)
	voxels := r.padded.Voxels()
	dst = resizeSlice(dst, len(channels)*voxels)
	clear(dst)
	parallel.Each(context.Background(), len(channels), func(c int) {
		prepared := normaliseHead(channels[c], from, box, inside)
		at := 0
		for line := range box.Size[0] * box.Size[1] {
			z, y := before[0]+line/box.Size[1], before[1]+line%box.Size[1]
			row := dst[c*voxels+(z*r.padded[1]+y)*r.padded[2]+before[2]:][:box.Size[2]]
			for x := range row {
				if inside[line*box.Size[2]+x] {
					row[x] = prepared[at]
					at++
				}
			}
		}
	})
	return dst, box, nil
}

func checkChannels(channels [][]float32, from Shape) error {
	for c, values := range channels {
		if err := from.checkVoxels(len(values)); err != nil {
			return fmt.Errorf("channel %d: %w", c, err)
		}
		for i, v := range values {
			if math.IsInf(float64(v), 0) {
				return fmt.Errorf("%w: channel %d: voxel %d is %v, want a finite number", ErrVolume, c, i, v)
			}
		}
	}
	return nil
}

// findNonZeroBox returns the smallest box that contains the non-zero voxels of all channels. Filled holes are inside
// it.
func findNonZeroBox(channels [][]float32, from Shape) (Box, error) {
	low, high := from, Shape{-1, -1, -1}
	for _, values := range channels {
		for line := range from[0] * from[1] {
			row := values[line*from[2]:][:from[2]]
			first, last := nonZeroEnds(row)
			if first < 0 {
				continue
			}
			for k, at := range [3][2]int{{line / from[1], line / from[1]}, {line % from[1], line % from[1]}, {first, last}} {
				low[k], high[k] = min(low[k], at[0]), max(high[k], at[1])
			}
		}
	}
	if high[0] < 0 {
		return Box{}, fmt.Errorf("%w: all voxels of all channels are 0: there is no head", ErrVolume)
	}
	b := Box{Low: low}
	for k := range b.Size {
		b.Size[k] = high[k] - low[k] + 1
	}
	return b, nil
}

// nonZeroEnds returns the first and the last index of a non-zero value in a row, or -1.
func nonZeroEnds(row []float32) (first, last int) {
	first, last = -1, -1
	for x, v := range row {
		if v != 0 {
			if last = x; first < 0 {
				first = x
			}
		}
	}
	return first, last
}

// findHeadMask reports for each voxel of the box whether it belongs to the head: it is non-zero in some channel, or in
// a hole.
func findHeadMask(channels [][]float32, from Shape, b Box) []bool {
	inside := make([]bool, b.Size.Voxels())
	for _, values := range channels {
		for line := range b.Size[0] * b.Size[1] {
			row := values[b.rowStart(from, line):][:b.Size[2]]
			for x, v := range row {
				if v != 0 {
					inside[line*b.Size[2]+x] = true
				}
			}
		}
	}
	fillHoles(inside, b.Size)
	return inside
}

// rowStart returns the index in the volume at which a line of the box starts. Lines are counted along depth and height.
func (b Box) rowStart(from Shape, line int) int {
	z, y := b.Low[0]+line/b.Size[1], b.Low[1]+line%b.Size[1]
	return (z*from[1]+y)*from[2] + b.Low[2]
}

// CutBox copies the voxels of a box from a volume in C order.
func CutBox[T any](values []T, from Shape, b Box) []T {
	part := make([]T, 0, b.Size.Voxels())
	for line := range b.Size[0] * b.Size[1] {
		part = append(part, values[b.rowStart(from, line):][:b.Size[2]]...)
	}
	return part
}

// fillHoles sets the voxels from which no path of unset voxels, from face to face, leads to the border of the volume.
func fillHoles(set []bool, s Shape) {
	outside := make([]bool, len(set))
	var open []int
	reach := func(at int) {
		if !set[at] && !outside[at] {
			outside[at] = true
			open = append(open, at)
		}
	}
	plane := s[1] * s[2]
	for at := range set {
		z, y, x := at/plane, at%plane/s[2], at%s[2]
		if z == 0 || z == s[0]-1 || y == 0 || y == s[1]-1 || x == 0 || x == s[2]-1 {
			reach(at)
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		steps := [3]int{plane, s[2], 1}
		for k, place := range [3]int{at / plane, at % plane / s[2], at % s[2]} {
			if place > 0 {
				reach(at - steps[k])
			}
			if place < s[k]-1 {
				reach(at + steps[k])
			}
		}
	}
	for at := range set {
		set[at] = !outside[at]
	}
}

// normaliseHead returns the values of a channel within the head, in order, normalized to mean 0 and deviation 1. If all
// values are equal, the results are 0.
func normaliseHead(values []float32, from Shape, b Box, inside []bool) []float32 {
	head := make([]float32, 0, len(inside))
	for line := range b.Size[0] * b.Size[1] {
		row := values[b.rowStart(from, line):][:b.Size[2]]
		for x, v := range row {
			if inside[line*b.Size[2]+x] {
				if v != v {
					v = 0
				}
				head = append(head, v)
			}
		}
	}
	n := float32(len(head))
	mean := sum32(head) / n
	squares := make([]float32, len(head))
	for i, v := range head {
		squares[i] = (v - mean) * (v - mean)
	}
	deviation := float32(math.Sqrt(float64(sum32(squares) / n)))
	for i, v := range head {
		head[i] = (v - mean) / (deviation + 1e-8)
	}
	return head
}

// sum32 returns the sum of float32 numbers in float32, computed pairwise in blocks of up to 128 with eight running
// sums, like NumPy.
func sum32(v []float32) float32 {
	const block = 128
	if n := len(v); n > block {
		half := n / 2
		half -= half % 8
		return sum32(v[:half]) + sum32(v[half:])
	}
	var total float32
	if len(v) >= 8 {
		var r [8]float32
		copy(r[:], v)
		whole := len(v) / 8 * 8
		for i := 8; i < whole; i += 8 {
			for k := range r {
				r[k] += v[i+k]
			}
		}
		total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
		v = v[whole:]
	}
	for _, x := range v {
		total += x
	}
	return total
}
