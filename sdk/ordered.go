package sdk

// SampleOrderer is an optional interface of a Workload that hands out its samples in an order of its own, whatever
// LoadGen draws: a stream, in which time passes. All samples of its data set are loaded together.
type SampleOrderer interface {
	// Order are numbers of samples, each of the data set at least once: the k-th that LoadGen issues in a test, from 0,
	// asks for sample Order()[k], whatever its index in the logs; behind the last one the order begins again. It is asked
	// once, and must not change.
	Order() []int64
}
