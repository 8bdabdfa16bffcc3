package draw

// Samples is a synthetic set of samples. Sample i depends only on Seed and i, and N is the size of the set. Sets with
// different seeds have no samples in common. It is safe for concurrent use.
type Samples struct {
	Seed uint64
	N    int
}

// NewSamples returns a set of n samples with a seed.
func NewSamples(seed uint64, n int) Samples { return Samples{seed, n} }

// Len returns the number of samples.
func (s Samples) Len() int { return s.N }
