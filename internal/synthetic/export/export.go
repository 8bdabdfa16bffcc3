// Package export writes synthetic data sets to files in the official layouts, for training scripts and other programs.
// Each function writes samples [first, end) of a set. It creates missing folders, replaces existing files, and stops at
// the first error or when ctx ends.
//
// In scope: the files, their order, drawing on all cores. Out of scope: the samples (packages below synthetic), the
// command line (cmd/synthetic-export).
package export

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// inRange returns an error unless [first, end) is a range of a set with n samples.
func inRange(first, end, n int) error {
	if first < 0 || first > end || end > n {
		return fmt.Errorf("samples %d to %d of %d: want 0 <= first <= end <= %d", first, end, n, n)
	}
	return nil
}

// onAllCores calls do for each of [first, end) on all cores, until the first error.
func onAllCores(ctx context.Context, first, end int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parallel.Each(ctx, end-first, func(i int) {
		if err := do(first + i); err != nil {
			cancel(err)
		}
	})
	return context.Cause(ctx)
}
