package audio

import (
	"fmt"
	"math"
)

// Parameters of NeMo's features in the usual configuration.
const (
	nemoSize      = 512 // points of the transform
	nemoWindow    = 400
	nemoLogOffset = 1. / (1 << 24) // added before taking the logarithm
)

// NeMoMinSamples is the minimum number of samples of a clip with features, because its mirror image is half as long as
// a transform.
const NeMoMinSamples = nemoSize/2 + 1

// NeMo computes the features of NeMo's models: pre-emphasis and log-mel, normalized for each filter over the clip,
// without dither.
type NeMo struct {
	spectrum *frameSpectrum
	filters  filterBank
	mel      []float64 // [frames, filters]
	moments  clipMoments
}

// NewNeMo returns an extractor for one goroutine with the given number of mel filters, 80 or 128.
func NewNeMo(filters int) *NeMo {
	w := make([]float64, nemoSize)
	for i := range nemoWindow {
		w[(nemoSize-nemoWindow)/2+i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/(nemoWindow-1))
	}
	return &NeMo{spectrum: newFrameSpectrum(w), filters: newFilterBank(filters, nemoSize)}
}

// Append appends the features of a clip at SampleRate, float32 [1+len(samples)/160, filters], to dst. If the clip has
// fewer than NeMoMinSamples, the error wraps ErrShort.
func (m *NeMo) Append(dst, samples []float32) ([]float32, error) {
	if len(samples) < NeMoMinSamples {
		return dst, fmt.Errorf("%w: %d samples, want %d or more", ErrShort, len(samples), NeMoMinSamples)
	}
	m.spectrum.fillEmphasised(samples)
	m.mel = m.mel[:0]
	for i := range 1 + len(samples)/hopSamples {
		power := m.spectrum.powerAt(i)
		for _, f := range m.filters {
			m.mel = append(m.mel, math.Log(f.weightedSum(power)+nemoLogOffset))
		}
	}
	start := len(dst)
	dst = append(dst, make([]float32, len(m.mel))...)
	m.moments.normaliseFrames(dst[start:], m.mel, len(m.filters))
	return dst, nil
}
