package tune

import "math"

// rateBelief is what is known of the highest rate that a SUT serves in time: a probability for each of a row of rates.
// A run is VALID by it with a probability that falls at that rate, and INVALID now and then at any, because the machine
// did something else.
type rateBelief struct {
	bound          float64   // queries per second, which hardly a rate is above
	rates, weights []float64 // queries per second, rising; weights add up to 1
	low            float64   // the highest rate that was VALID; 0: none
	step           float64   // rates are multiples of it; 0: of nothing
	trials         []Trial   // that were taken
}

const (
	// accident is how likely a run is INVALID at a rate that is served in time, luck how likely one is
	// VALID at a rate that is not.
	accident, luck = 0.12, 0.02
	// blur is how far from the highest rate, as a fraction of it, runs still end both ways.
	blur = 0.02
	// An estimate is a normal distribution of the rate's logarithm with the deviation guess, or with
	// probability wild worth nothing.
	guess, wild = 0.25, 0.3
	// grain is the distance of two rates, as a fraction.
	grain = 0.01
)

// newBelief expects any rate up to bound as likely as another, and some above.
func newBelief(bound float64) *rateBelief {
	b := &rateBelief{bound: bound}
	for r := lowestShare * bound; r < highestShare*bound; r *= 1 + grain {
		b.rates = append(b.rates, r)
		weight := r // of the same interval of rates: the row is logarithmic
		if r > bound {
			weight *= math.Pow(bound/r, steep)
		}
		b.weights = append(b.weights, weight)
	}
	b.normaliseWeights()
	return b
}

func (b *rateBelief) normaliseWeights() {
	sum := 0.0
	for _, w := range b.weights {
		sum += w
	}
	for i := range b.weights {
		b.weights[i] /= sum
	}
}

// takeTrial notes the outcome of a run.
func (b *rateBelief) takeTrial(t Trial) {
	for i, r := range b.rates {
		served := 1 / (1 + math.Pow(t.TargetQPS/r, 1/blur))
		p := served*(1-accident) + (1-served)*luck
		if !t.Valid {
			p = (1 - p) * estimateLikelihood(t.Estimate, r)
		}
		b.weights[i] *= p
	}
	b.normaliseWeights()
	b.trials = append(b.trials, t)
	if t.Valid {
		b.low = max(b.low, t.TargetQPS)
	}
}

// withBound is what is known with another bound: the runs are the same.
func (b *rateBelief) withBound(bound float64) *rateBelief {
	wider := newBelief(bound)
	wider.step = b.step
	for _, t := range b.trials {
		wider.takeTrial(t)
	}
	return wider
}

// exceedsBound says that a rate was VALID which the bound leaves no room for.
func (b *rateBelief) exceedsBound() bool { return b.low >= (1+Precision)*b.bound }

// estimateLikelihood is how likely an estimate is where r is the highest rate.
func estimateLikelihood(estimate, r float64) float64 {
	if !(estimate > 0) {
		return 1
	}
	z := math.Log(estimate/r) / guess
	return wild/math.Log(highestShare/lowestShare) + (1-wild)*math.Exp(-z*z/2)/(guess*math.Sqrt(2*math.Pi))
}

// rateQuantile is the rate below which the highest rate is with probability p.
func (b *rateBelief) rateQuantile(p float64) float64 {
	for i, w := range b.weights {
		if p -= w; p <= 0 {
			return b.rates[i]
		}
	}
	return b.rates[len(b.rates)-1]
}

// middleRate is a rate that is about as likely too high as not: none that was VALID, where rates are steps.
func (b *rateBelief) middleRate() float64 {
	r := b.rateQuantile(0.5)
	if b.step > 0 {
		r = max(b.step*math.Round(r/b.step), b.low+b.step)
	}
	return r
}

// narrowEnough says that there is hardly a higher rate than the one that was VALID, or hardly one at all.
func (b *rateBelief) narrowEnough() bool {
	return b.rateQuantile(sure) <= max(b.low*(1+Precision), b.rates[0]*(1+2*grain)) ||
		b.low > 0 && b.rateQuantile(sure) < b.low+b.step
}
