package audio

import (
	"math"
)

// filterBank is a bank of triangular mel filters over the bins of a spectrum, on Slaney's scale with Slaney's norm,
// like the defaults of librosa.filters.mel. A filter stores only bins with non-zero weights.
type filterBank []melFilter

type melFilter struct {
	first   int       // index of the first bin
	weights []float64 // rounded to float32, as in the reference
}

// newFilterBank returns n filters from 0 to 8000 Hz for the spectrum of size points at SampleRate.
func newFilterBank(n, size int) filterBank {
	top := hertzToMel(SampleRate / 2)
	edges := make([]float64, n+2)
	for i := range edges {
		edges[i] = melToHertz(top * float64(i) / float64(n+1))
	}
	bank := make(filterBank, n)
	for i := range bank {
		bank[i] = newFilter(edges[i], edges[i+1], edges[i+2], size)
	}
	return bank
}

// newFilter returns a triangular filter that rises from low to centre and falls to high, with an area of 1 over hertz.
func newFilter(low, centre, high float64, size int) melFilter {
	f := melFilter{first: -1}
	for bin := 0; bin <= size/2; bin++ {
		hertz := float64(bin) * SampleRate / float64(size)
		height := min((hertz-low)/(centre-low), (high-hertz)/(high-centre))
		if height <= 0 {
			continue
		}
		if f.first < 0 {
			f.first = bin
		}
		f.weights = append(f.weights, float64(float32(height*2/(high-low))))
	}
	f.first = max(f.first, 0)
	return f
}

// weightedSum returns the weighted sum of a power spectrum.
func (f melFilter) weightedSum(power []float64) float64 {
	sum := 0.
	for i, p := range power[f.first:][:len(f.weights)] {
		// rounded before the sum to prevent fusing, so that results are the same on all processors
		sum += float64(f.weights[i] * p)
	}
	return sum
}

// Slaney's scale is linear below 1000 Hz and logarithmic above.
const (
	hertzPerMel = 200. / 3
	kneeHertz   = 1000.
	kneeMel     = kneeHertz / hertzPerMel
)

var logStep = math.Log(6.4) / 27

func hertzToMel(hertz float64) float64 {
	if hertz < kneeHertz {
		return hertz / hertzPerMel
	}
	return kneeMel + math.Log(hertz/kneeHertz)/logStep
}

func melToHertz(mel float64) float64 {
	if mel < kneeMel {
		return mel * hertzPerMel
	}
	return kneeHertz * math.Exp(logStep*(mel-kneeMel))
}
