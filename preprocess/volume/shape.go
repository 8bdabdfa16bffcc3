package volume

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// ErrVolume is wrapped by every error about a volume's shape, spacing or values.
var ErrVolume = errors.New("the volume cannot be used")

// Shape contains depth, height and width in voxels.
type Shape [3]int

// Voxels returns the number of voxels.
func (s Shape) Voxels() int { return s[0] * s[1] * s[2] }

// checkVoxels requires a positive shape and one value per voxel.
func (s Shape) checkVoxels(values int) error {
	if min(s[0], s[1], s[2]) < 1 || s.Voxels() != values {
		return fmt.Errorf("%w: %d values for shape %v, want one for each of at least one voxel a side", ErrVolume, values, s)
	}
	return nil
}

// splitRange calls do with parts of [0, n) on all cores and waits for all calls.
func splitRange(n int, do func(from, to int)) {
	workers := runtime.GOMAXPROCS(0)
	if min(workers, n) <= 1 {
		do(0, n)
		return
	}
	size := max(n/(8*workers), 1) // parts are small enough that cores finish at about the same time
	parallel.Each(context.Background(), (n+size-1)/size, func(i int) { do(i*size, min((i+1)*size, n)) })
}
