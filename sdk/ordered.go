package sdk

// SampleOrderer is an optional interface of a Workload that issues its samples in its own order instead of LoadGen's
// draw, as required for a stream in time. All samples of its data set are loaded together.
type SampleOrderer interface {
	// Order returns sample numbers. It contains each sample of the data set at least once. The k-th sample that LoadGen
	// issues in a test, from 0, is sample Order()[k], whatever its index in the logs. After the last one the order starts
	// again. The sdk calls Order once; it must not change.
	Order() []int64
}
