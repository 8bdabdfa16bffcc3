package draw

// SampleSet is a synthetic set of samples. Sample i depends only on Seed and i, and N is the size of the set. Sets with
// different seeds have no samples in common. It is safe for concurrent use.
type SampleSet struct {
	Seed uint64
	N    int
}

// NewSampleSet returns a set of n samples with a seed.
func NewSampleSet(seed uint64, n int) SampleSet { return SampleSet{seed, n} }

// Len returns the number of samples.
func (s SampleSet) Len() int { return s.N }
