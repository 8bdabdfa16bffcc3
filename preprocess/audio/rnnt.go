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

	preEmphasis = 0.97
	dither      = 1e-10 // added to each bin of power: the reference's "dither" of 1e-5 squared, a constant
	leastMel    = 1e-20 // added before the logarithm
	leastSpread = 1e-5  // added to each standard deviation
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

// RNNT makes the features of RNN-T: pre-emphasis, log-mel of 80 filters, three frames spliced, normalised over the
// clip.
type RNNT struct {
	spectrum *spectrum
	bank     filterBank
	mel      []float64 // [frames, 80], and zeros up to a multiple of three frames
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
	r.normalise(dst[start:], frames)
	return dst, nil
}

// logMel leaves the logarithms in r.mel, of 1+n/hop frames.
func (r *RNNT) logMel(samples []float32) {
	signal := r.spectrum.extend(len(samples))
	before := 0.
	for i, v := range samples {
		signal[i] = float64(v) - float64(preEmphasis*before)
		before = float64(v)
	}
	r.spectrum.reflect()
	frames := 1 + len(samples)/hop
	r.mel = r.mel[:0]
	for i := range frames {
		power := r.spectrum.at(i)
		for j := range power {
			power[j] += dither
		}
		for _, f := range r.bank {
			r.mel = append(r.mel, math.Log(f.of(power)+leastMel))
		}
	}
	for len(r.mel)%RNNTWidth != 0 {
		r.mel = append(r.mel, 0)
	}
}

// normalise brings each of the 240 values to mean 0 and deviation 1 over the frames that count.
func (r *RNNT) normalise(dst []float32, frames int) {
	var mean, spread [RNNTWidth]float64
	r.each(frames, func(_, j int, v float64) { mean[j] += v })
	for j := range mean {
		mean[j] /= float64(frames)
	}
	r.each(frames, func(_, j int, v float64) { spread[j] += float64((v - mean[j]) * (v - mean[j])) })
	for j := range spread {
		spread[j] = math.Sqrt(spread[j]/float64(frames-1)) + leastSpread
	}
	r.each(frames, func(i, j int, v float64) { dst[i] = float32((v - mean[j]) / spread[j]) })
}

// each goes over the values of the spliced frames: their places in all, in their frame, and themselves. Three frames of
// mel side by side are one spliced frame as they lie.
func (r *RNNT) each(frames int, visit func(i, j int, v float64)) {
	for at := 0; at < frames*RNNTWidth; at += RNNTWidth {
		for j, v := range r.mel[at:][:RNNTWidth] {
			visit(at+j, j, v)
		}
	}
}
