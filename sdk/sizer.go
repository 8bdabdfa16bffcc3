package sdk

// Sizer is an optional interface of a Workload whose samples differ in size: tokens of a text, pairs of a click log.
type Sizer interface {
	// SampleSize returns the size of a loaded sample in the workload's own unit. It must not be negative. The sdk calls it
	// once, untimed, when the sample is loaded.
	SampleSize(s Sample) int
	// SizeRule returns the rule that forms batches by size.
	SizeRule() SizeRule
}

// SizeRule determines how samples of different sizes share batches.
type SizeRule struct {
	// MaxSum is the maximum sum of the sizes in a batch; 0: no limit. A larger sample forms its own batch.
	MaxSum int
	// Alike groups samples of similar size if more samples wait than fit in a batch, to reduce padding. The oldest waiting
	// sample is always part of the next batch. Offline sorts the samples of many batches at a time. A generator receives
	// prompts one by one, which Offline sorts so that similar prompts run together.
	Alike bool
	// Batch is the maximum number of samples in a batch if the user sets none; 0: the backend's preference.
	Batch int
}
