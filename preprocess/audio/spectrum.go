package audio

import (
	"gonum.org/v1/gonum/dsp/fourier"
)

// hop is the way from one frame to the next, 10 ms.
const hop = SampleRate / 100

// spectrum is a short-time Fourier transform. Each frame is of as many samples as the transform has points, and the
// clip is continued by its mirror image on both sides, so that frame i is centred on sample i*hop.
type spectrum struct {
	window []float64 // as long as the transform
	fft    *fourier.FFT
	signal []float64 // the clip with its mirror images
	frame  []float64
	bins   []complex128
	power  []float64 // of the bins of one frame
}

func newSpectrum(window []float64) *spectrum {
	size := len(window)
	return &spectrum{
		window: window, fft: fourier.NewFFT(size), frame: make([]float64, size),
		bins: make([]complex128, size/2+1), power: make([]float64, size/2+1),
	}
}

// margin is the length of a mirror image.
func (s *spectrum) margin() int { return len(s.window) / 2 }

// extend gives room for a clip of n samples, to be filled; reflect is to be called then. n must exceed the margin.
func (s *spectrum) extend(n int) []float64 {
	if total := n + 2*s.margin(); cap(s.signal) < total {
		s.signal = make([]float64, total)
	} else {
		s.signal = s.signal[:total]
	}
	return s.signal[s.margin():][:n]
}

// reflect fills the margins with the clip's mirror images; the first and the last sample are not repeated.
func (s *spectrum) reflect() {
	m, n := s.margin(), len(s.signal)-2*s.margin()
	for i := 1; i <= m; i++ {
		s.signal[m-i] = s.signal[m+i]
		s.signal[m+n-1+i] = s.signal[m+n-1-i]
	}
}

// at computes the power of frame i, which s keeps until the next call.
func (s *spectrum) at(i int) []float64 {
	for j, v := range s.signal[i*hop:][:len(s.window)] {
		s.frame[j] = v * s.window[j]
	}
	for j, c := range s.fft.Coefficients(s.bins, s.frame) {
		s.power[j] = float64(real(c)*real(c)) + float64(imag(c)*imag(c))
	}
	return s.power
}
