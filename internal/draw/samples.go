package draw

// Samples are those of a synthetic set: sample i depends on Seed and i alone, so N only bounds the set, and sets of
// different seeds have none in common. They may be used from many goroutines.
type Samples struct {
	Seed uint64
	N    int
}

// NewSamples returns n samples of a seed.
func NewSamples(seed uint64, n int) Samples { return Samples{seed, n} }

// Len is the number of samples.
func (s Samples) Len() int { return s.N }
