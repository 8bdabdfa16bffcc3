package sdk

import "github.com/plumbline-ml/plumbline/sdk/batch"

// Sizer is an optional interface of a Workload whose samples differ in size: tokens of a text, pairs of a click log.
type Sizer interface {
	// SampleSize is the size of a loaded sample in the workload's own unit, at least 0. It is asked once, untimed, when
	// the sample is loaded.
	SampleSize(s Sample) int
	// SizeRule says how sizes form batches.
	SizeRule() SizeRule
}

// SizeRule says how samples of different sizes share batches.
type SizeRule struct {
	// MaxSum is what the sizes of a batch sum to at most; 0: no limit. A sample above it runs by itself.
	MaxSum int
	// Alike joins samples of similar size where more wait than fit in a batch, so that little is padded. The oldest waiting
	// sample is always part of the next batch; Offline sorts the samples of many batches at a time.
	Alike bool
	// Batch is how many samples a batch has at most where the user does not say; 0: the backend's preference.
	Batch int
}

// sizeRule is a workload's rule, if it has one.
func sizeRule(w Workload) SizeRule {
	if s, ok := w.(Sizer); ok {
		return s.SizeRule()
	}
	return SizeRule{}
}

// measure lets the library measure samples, and the policy use their sizes, where the workload has a rule for them. In order,
// samples are not joined with others of like size but with those that follow them.
func (w *opened) measure(inOrder bool) {
	sizer, ok := w.workload.(Sizer)
	if !ok {
		return
	}
	w.library.SizeBy(func(s Sample) int { return sizer.SampleSize(s) })
	rule := sizer.SizeRule()
	w.policy.Sizing = &batch.Sizing{Sizes: w.library.Sizes, MaxSum: rule.MaxSum, Alike: rule.Alike && !inOrder}
}

// warmBatch is how many copies of a warm-up sample a batch may have.
func (w *opened) warmBatch(s Sample) int {
	n := w.policy.MaxBatch
	sizer, ok := w.workload.(Sizer)
	if !ok || sizer.SizeRule().MaxSum <= 0 {
		return n
	}
	return max(1, min(n, sizer.SizeRule().MaxSum/max(1, sizer.SampleSize(s))))
}
