package tune

import "math"

// rateBelief is a probability distribution over the highest rate at which a SUT meets its limits. The probability that
// a run is VALID falls at that rate. Other work on the machine may make a run INVALID at any rate.
type rateBelief struct {
	bound          float64   // queries per second; rates above it are very unlikely
	rates, weights []float64 // queries per second, ascending; weights sum to 1
	highestValid   float64   // the highest VALID rate so far; 0: none
	step           float64   // rates are multiples of step; 0: any rate
	trials         []Trial   // all trials so far
}

const (
	// accidentProbability is the probability that a run is INVALID at a rate that meets the limits. luckProbability
	// is the probability that a run is VALID at a rate that does not.
	accidentProbability, luckProbability = 0.12, 0.02
	// blurWidth is the width, as a fraction of the highest rate, of the range in which runs have both outcomes.
	blurWidth = 0.02
	// The logarithm of an estimate is normally distributed with standard deviation estimateDeviation. With probability
	// uselessProbability, the estimate contains no information.
	estimateDeviation, uselessProbability = 0.25, 0.3
	// rateGrain is the relative distance of two rates.
	rateGrain = 0.01
)

// newBelief returns a belief in which all rates up to bound are equally likely and some higher rates are possible.
func newBelief(bound float64) *rateBelief {
	b := &rateBelief{bound: bound}
	for r := lowestShare * bound; r < highestShare*bound; r *= 1 + rateGrain {
		b.rates = append(b.rates, r)
		weight := r // rates are logarithmic, so weights are proportional to their distance
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

// takeTrial updates the belief with the outcome of a run.
func (b *rateBelief) takeTrial(t Trial) {
	for i, r := range b.rates {
		served := 1 / (1 + math.Pow(t.TargetQPS/r, 1/blurWidth))
		p := served*(1-accidentProbability) + (1-served)*luckProbability
		if !t.Valid {
			p = (1 - p) * estimateLikelihood(t.Estimate, r)
		}
		b.weights[i] *= p
	}
	b.normaliseWeights()
	b.trials = append(b.trials, t)
	if t.Valid {
		b.highestValid = max(b.highestValid, t.TargetQPS)
	}
}

// withBound returns a belief with another bound, updated with the same trials.
func (b *rateBelief) withBound(bound float64) *rateBelief {
	wider := newBelief(bound)
	wider.step = b.step
	for _, t := range b.trials {
		wider.takeTrial(t)
	}
	return wider
}

// exceedsBound reports whether a rate above the bound was VALID.
func (b *rateBelief) exceedsBound() bool { return b.highestValid >= (1+Precision)*b.bound }

// estimateLikelihood returns the likelihood of an estimate if r is the highest rate.
func estimateLikelihood(estimate, r float64) float64 {
	if !(estimate > 0) {
		return 1
	}
	z := math.Log(estimate/r) / estimateDeviation
	return uselessProbability/math.Log(highestShare/lowestShare) +
		(1-uselessProbability)*math.Exp(-z*z/2)/(estimateDeviation*math.Sqrt(2*math.Pi))
}

// rateQuantile returns the p-quantile of the highest rate.
func (b *rateBelief) rateQuantile(p float64) float64 {
	for i, w := range b.weights {
		if p -= w; p <= 0 {
			return b.rates[i]
		}
	}
	return b.rates[len(b.rates)-1]
}

// middleRate returns a rate that is about equally likely to be too high or not. If rates are multiples of a step, it is
// above all VALID rates.
func (b *rateBelief) middleRate() float64 {
	r := b.rateQuantile(0.5)
	if b.step > 0 {
		r = max(b.step*math.Round(r/b.step), b.highestValid+b.step)
	}
	return r
}

// narrowEnough reports whether a higher rate than the highest VALID one, or any VALID rate, is very unlikely.
func (b *rateBelief) narrowEnough() bool {
	return b.rateQuantile(requiredCertainty) <= max(b.highestValid*(1+Precision), b.rates[0]*(1+2*rateGrain)) ||
		b.highestValid > 0 && b.rateQuantile(requiredCertainty) < b.highestValid+b.step
}
