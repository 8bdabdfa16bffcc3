package serve

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// sizeRule returns a workload's rule, or a zero rule if it has none.
func sizeRule(w sdk.Workload) sdk.SizeRule {
	if s, ok := sdk.As[sdk.Sizer](w); ok {
		return s.SizeRule()
	}
	return sdk.SizeRule{}
}

// measureSizes lets the library measure samples and the policy use their sizes, if the workload has a rule for sizes.
// With inOrder, samples are joined with the following ones and not with samples of similar size.
func (w *openedWorkload) measureSizes(inOrder bool) {
	sizer, ok := sdk.As[sdk.Sizer](w.workload)
	if !ok {
		return
	}
	w.library.SizeBy(func(s sdk.Sample) int { return sizer.SampleSize(s) })
	rule := sizer.SizeRule()
	w.policy.Sizing = &batch.SizePolicy{Sizes: w.library.Sizes, MaxSum: rule.MaxSum, Alike: rule.Alike && !inOrder}
}

// warmBatch returns the maximum number of copies of a warm-up sample in a batch.
func (w *openedWorkload) warmBatch(s sdk.Sample) int {
	n := w.policy.MaxBatch
	sizer, ok := sdk.As[sdk.Sizer](w.workload)
	if !ok || sizer.SizeRule().MaxSum <= 0 {
		return n
	}
	return max(1, min(n, sizer.SizeRule().MaxSum/max(1, sizer.SampleSize(s))))
}
