package audio

import (
	"fmt"
	"math"
)

// What RNN-T's features are made of.
const (
	rnntSize    = 512 // points of the transform
	rnntWindow  = 320
	rnntFilters = 80
	rnntSplice  = 3 // frames side by side in one

	dither = 1e-10 // added to each bin of power: the reference's "dither" of 1e-5 squared, a constant
	minMel = 1e-20 // added before the logarithm
)

// RNNTWidth is the number of values of one of RNN-T's frames.
const RNNTWidth = rnntFilters * rnntSplice

// RNNTMinSamples is the least clip that has features: below it there is one frame, whose spread is not defined.
const RNNTMinSamples = rnntSplice*hop + 1

// RNNTFrames is the number of frames that a clip of n samples has.
func RNNTFrames(n int) int {
	return ceilDiv(ceilDiv(n, hop), rnntSplice)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// RNNT computes the features of RNN-T: pre-emphasis, log-mel of 80 filters, three frames spliced, normalised over the
// clip.
type RNNT struct {
	spectrum *frameSpectrum
	bank     filterBank
	mel      []float64 // [frames, 80], and zeros up to a multiple of three frames
	moments  clipMoments
}

// NewRNNT returns an extractor for one goroutine.
func NewRNNT() *RNNT {
	w := make([]float64, rnntSize)
	for i := range rnntWindow {
		w[(rnntSize-rnntWindow)/2+i] = rnntHann(i)
	}
	return &RNNT{spectrum: newSpectrum(w), bank: newFilterBank(rnntFilters, rnntSize)}
}

// rnntHann is the symmetric Hann window as float32 arithmetic makes it: its rounding shows where a clip has one loud
// sample at the window's edge.
func rnntHann(i int) float64 {
	step := float32(2 * math.Pi / (rnntWindow - 1))
	angle := float32(i) * step
	return float64(0.5 - 0.5*float32(math.Cos(float64(angle))))
}

// Append appends the features of a clip at SampleRate, float32 [RNNTFrames(len(samples)), RNNTWidth], to dst.
// A clip of fewer than RNNTMinSamples is ErrShort: the reference fails on it or makes NaN of it.
func (r *RNNT) Append(dst, samples []float32) ([]float32, error) {
	if len(samples) < RNNTMinSamples {
		return dst, fmt.Errorf("%w: %d samples, want %d or more", ErrShort, len(samples), RNNTMinSamples)
	}
	r.logMel(samples)
	frames := RNNTFrames(len(samples))
	start := len(dst)
	dst = append(dst, make([]float32, frames*RNNTWidth)...)
	r.moments.normaliseFrames(dst[start:], r.mel, RNNTWidth)
	return dst, nil
}

// logMel leaves the logarithms in r.mel, of 1+n/hop frames.
func (r *RNNT) logMel(samples []float32) {
	r.spectrum.fillEmphasised(samples)
	frames := 1 + len(samples)/hop
	r.mel = r.mel[:0]
	for i := range frames {
		power := r.spectrum.powerAt(i)
		for j := range power {
			power[j] += dither
		}
		for _, f := range r.bank {
			r.mel = append(r.mel, math.Log(f.shareOf(power)+minMel))
		}
	}
	for len(r.mel)%RNNTWidth != 0 {
		r.mel = append(r.mel, 0)
	}
}
