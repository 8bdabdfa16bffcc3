package audio

import (
	"fmt"
	"math"
)

// Parameters of RNN-T's features.
const (
	rnntSize    = 512 // points of the transform
	rnntWindow  = 320
	rnntFilters = 80
	rnntSplice  = 3 // number of frames joined to one

	powerOffset = 1e-10 // constant added to the power of each bin: the square of the reference's "dither" of 1e-5
	logOffset   = 1e-20 // added before taking the logarithm
)

// RNNTWidth is the number of values per RNN-T frame.
const RNNTWidth = rnntFilters * rnntSplice

// RNNTMinSamples is the minimum number of samples of a clip with features. A shorter clip has a single frame, whose
// deviation is undefined.
const RNNTMinSamples = rnntSplice*hopSamples + 1

// RNNTFrames returns the number of frames of a clip of n samples.
func RNNTFrames(n int) int {
	return ceilDiv(ceilDiv(n, hopSamples), rnntSplice)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// RNNT computes the features of RNN-T: pre-emphasis and log-mel of 80 filters, with three frames spliced, normalized
// over the clip.
type RNNT struct {
	spectrum *frameSpectrum
	filters  filterBank
	mel      []float64 // [frames, 80], padded with zeros to a multiple of three frames
	moments  clipMoments
}

// NewRNNT returns an extractor for one goroutine.
func NewRNNT() *RNNT {
	w := make([]float64, rnntSize)
	for i := range rnntWindow {
		w[(rnntSize-rnntWindow)/2+i] = rnntHann(i)
	}
	return &RNNT{spectrum: newFrameSpectrum(w), filters: newFilterBank(rnntFilters, rnntSize)}
}

// rnntHann returns value i of the symmetric Hann window, computed in float32. Its rounding matters if a clip has a
// single loud sample at the window's edge.
func rnntHann(i int) float64 {
	step := float32(2 * math.Pi / (rnntWindow - 1))
	angle := float32(i) * step
	return float64(0.5 - 0.5*float32(math.Cos(float64(angle))))
}

// Append appends the features of a clip at SampleRate, float32 [RNNTFrames(len(samples)), RNNTWidth], to dst. If the
// clip has fewer than RNNTMinSamples, the error wraps ErrShort; the reference fails for such clips or returns NaN.
func (r *RNNT) Append(dst, samples []float32) ([]float32, error) {
	if len(samples) < RNNTMinSamples {
		return dst, fmt.Errorf("%w: %d samples, want %d or more", ErrShort, len(samples), RNNTMinSamples)
	}
	r.computeLogMel(samples)
	frames := RNNTFrames(len(samples))
	start := len(dst)
	dst = append(dst, make([]float32, frames*RNNTWidth)...)
	r.moments.normaliseFrames(dst[start:], r.mel, RNNTWidth)
	return dst, nil
}

// computeLogMel computes r.mel of 1+n/hop frames, where n is the number of samples.
func (r *RNNT) computeLogMel(samples []float32) {
	r.spectrum.fillEmphasised(samples)
	frames := 1 + len(samples)/hopSamples
	r.mel = r.mel[:0]
	for i := range frames {
		power := r.spectrum.powerAt(i)
		for j := range power {
			power[j] += powerOffset
		}
		for _, f := range r.filters {
			r.mel = append(r.mel, math.Log(f.weightedSum(power)+logOffset))
		}
	}
	for len(r.mel)%RNNTWidth != 0 {
		r.mel = append(r.mel, 0)
	}
}
