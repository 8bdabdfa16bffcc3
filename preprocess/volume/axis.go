package volume

import (
	"fmt"
	"math"
)

// axisTap describes the source of one index of a result axis.
type axisTap struct {
	kind                  tapKind
	sourceIndex           int     // first source index
	nearWeight, farWeight float64 // weights of source indices at and at+1
	nearestIndex          int     // nearest source index, for labels
}

type tapKind uint8

const (
	inside  tapKind = iota
	outside         // outside the source because of rounding: the minimum of the source
	padding         // added after normalizing
)

// axisTaps describes how one axis of the result is computed from the source, by index of the result.
type axisTaps []axisTap

// resampleAxis resamples an axis by a factor like scipy.ndimage.zoom (order 1 and 0, mode constant). The ends of source
// and result coincide.
func resampleAxis(n int, factor float64) (axisTaps, error) {
	length := math.RoundToEven(float64(n) * factor)
	if !(length >= 1 && length <= maxSide) {
		return nil, fmt.Errorf("%w: %d voxels resampled by a factor of %v, want 1 to %d voxels",
			ErrVolume, n, factor, maxSide)
	}
	a := make(axisTaps, int(length))
	step := 1.0
	if len(a) > 1 {
		step = float64(n-1) / float64(len(a)-1)
	}
	for i := range a {
		a[i] = newAxisTap(float64(float64(i)*step), n) // rounded, to prevent fusing with the subtraction in newAxisTap
	}
	return a, nil
}

// maxSide limits the length of a resampled axis, because a wrong spacing could otherwise require all memory.
const maxSide = 1 << 15

func newAxisTap(c float64, n int) axisTap {
	if c > float64(n-1) {
		return axisTap{kind: outside}
	}
	whole := math.Floor(c)
	far := c - whole
	t := axisTap{sourceIndex: int(whole), nearWeight: 1 - far, farWeight: far, nearestIndex: int(math.Floor(c + 0.5))}
	if t.sourceIndex == n-1 { // the far neighbour does not exist and has no weight
		t.sourceIndex, t.nearWeight, t.farWeight = max(n-2, 0), 0, 1
		if n == 1 {
			t.nearWeight, t.farWeight = 1, 0
		}
	}
	return t
}

// padToMin repeats the ends of an axis that is shorter than n.
func (a axisTaps) padToMin(n int) axisTaps {
	missing := max(n-len(a), 0)
	return a.padEnds(missing/2, missing-missing/2, a[0], a[len(a)-1])
}

// fitToStride changes the length to a multiple of stride. It cuts if the excess is less than half a stride, otherwise
// it pads. The smaller half of the change is at the front.
func (a axisTaps) fitToStride(stride int) axisTaps {
	if over := len(a) % stride; over < stride/2 {
		return a[over/2 : len(a)-(over-over/2)]
	}
	missing := stride - len(a)%stride
	pad := axisTap{kind: padding}
	return a.padEnds(missing/2, missing-missing/2, pad, pad)
}

func (a axisTaps) padEnds(front, back int, first, last axisTap) axisTaps {
	p := make(axisTaps, 0, front+len(a)+back)
	for range front {
		p = append(p, first)
	}
	p = append(p, a...)
	for range back {
		p = append(p, last)
	}
	return p
}
