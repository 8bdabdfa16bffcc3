package serve

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// sizeRule is a workload's rule, if it has one.
func sizeRule(w sdk.Workload) sdk.SizeRule {
	if s, ok := sdk.As[sdk.Sizer](w); ok {
		return s.SizeRule()
	}
	return sdk.SizeRule{}
}

// measureSizes lets the library measure samples, and the policy use their sizes, where the workload has a rule for
// them. In order, samples are not joined with others of like size but with those that follow them.
func (w *openedWorkload) measureSizes(inOrder bool) {
	sizer, ok := sdk.As[sdk.Sizer](w.workload)
	if !ok {
		return
	}
	w.library.SizeBy(func(s sdk.Sample) int { return sizer.SampleSize(s) })
	rule := sizer.SizeRule()
	w.policy.Sizing = &batch.SizePolicy{Sizes: w.library.Sizes, MaxSum: rule.MaxSum, Alike: rule.Alike && !inOrder}
}

// warmBatch is how many copies of a warm-up sample a batch may have.
func (w *openedWorkload) warmBatch(s sdk.Sample) int {
	n := w.policy.MaxBatch
	sizer, ok := sdk.As[sdk.Sizer](w.workload)
	if !ok || sizer.SizeRule().MaxSum <= 0 {
		return n
	}
	return max(1, min(n, sizer.SizeRule().MaxSum/max(1, sizer.SampleSize(s))))
}
