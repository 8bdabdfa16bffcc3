package sdk

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
	// Alike joins samples of similar size where more wait than fit in a batch, so that little is padded. The oldest
	// waiting sample is always part of the next batch; Offline sorts the samples of many batches at a time. Prompts are
	// handed to a generator one by one: Offline sorts them, so that those that run together are alike.
	Alike bool
	// Batch is how many samples a batch has at most where the user does not say; 0: the backend's preference.
	Batch int
}
