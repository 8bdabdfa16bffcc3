package schedule

import "github.com/plumbline-ml/plumbline/loadgen/internal/mt19937"

// Sampler chooses the answers that the accuracy log keeps in performance mode. Each sample gets a number in [0, 1). The
// log keeps samples whose number is at or below the probability. One Sampler serves all series of a test.
type Sampler struct {
	src    *mt19937.Source
	offset float64
}

// NewSampler returns a sampler whose choice is shifted by seed.
func NewSampler(seed uint64) *Sampler {
	return &Sampler{src: mt19937.New(mt19937.DefaultSeed), offset: mt19937.New(seed).Float64()}
}

// Skip passes over n samples of an accuracy series, which are all kept.
func (s *Sampler) Skip(n int) {
	for range 2 * n {
		s.src.Uint32()
	}
}

// Choose chooses among the next n samples.
func (s *Sampler) Choose(n int, probability float64) Chosen {
	c := make(Chosen, (n+63)/64)
	for i := range n {
		v := s.src.Float64() + s.offset
		if v >= 1 {
			v--
		}
		if v <= probability {
			c[i/64] |= 1 << (i % 64)
		}
	}
	return c
}

// Chosen is a set of samples, one bit each.
type Chosen []uint64

// Has reports whether sample i is chosen.
func (c Chosen) Has(i uint32) bool { return c[i/64]&(1<<(i%64)) != 0 }
