package audio

// hopSamples is the distance between the starts of consecutive frames, 10 ms.
const hopSamples = SampleRate / 100

// frameSpectrum is a short-time Fourier transform. Each frame has as many samples as the transform has points. The clip
// is extended by its mirror image at both ends, so that frame i is centred on sample i*hopSamples.
//
// Two frames share one transform as its real and its imaginary part. Their spectra can be separated, because one of
// them is even and the other is odd.
type frameSpectrum struct {
	window    []float64 // as long as the transform
	transform *fourierTransform
	signal    []float64 // the clip with its mirror images
	frames    []complex128
	power     [2][]float64 // power of the bins of two frames
}

func newFrameSpectrum(window []float64) *frameSpectrum {
	size := len(window)
	s := &frameSpectrum{window: window, transform: newFourierTransform(size), frames: make([]complex128, size)}
	for i := range s.power {
		s.power[i] = make([]float64, size/2+1)
	}
	return s
}

// marginLength returns the length of a mirror image.
func (s *frameSpectrum) marginLength() int { return len(s.window) / 2 }

// extendSignal allocates memory for a clip of n samples and returns the part for the clip. The caller must fill it and
// call reflectMargins. n must exceed the margin.
func (s *frameSpectrum) extendSignal(n int) []float64 {
	if total := n + 2*s.marginLength(); cap(s.signal) < total {
		s.signal = make([]float64, total)
	} else {
		s.signal = s.signal[:total]
	}
	return s.signal[s.marginLength():][:n]
}

// reflectMargins fills the margins with the clip's mirror images. The first and the last sample are not repeated.
func (s *frameSpectrum) reflectMargins() {
	m, n := s.marginLength(), len(s.signal)-2*s.marginLength()
	for i := 1; i <= m; i++ {
		s.signal[m-i] = s.signal[m+i]
		s.signal[m+n-1+i] = s.signal[m+n-1-i]
	}
}

// preEmphasis is the factor of the previous sample that is subtracted from each sample.
const preEmphasis = 0.97

// fillEmphasised copies a clip with pre-emphasis and adds its mirror images.
func (s *frameSpectrum) fillEmphasised(samples []float32) {
	signal := s.extendSignal(len(samples))
	before := 0.
	for i, v := range samples {
		signal[i] = float64(v) - float64(preEmphasis*before)
		before = float64(v)
	}
	s.reflectMargins()
}

// powerAt returns the power of frame i. It is valid until the next pair of frames is computed. Calls must be in the
// order of frames, from 0.
func (s *frameSpectrum) powerAt(i int) []float64 {
	if i%2 == 0 {
		s.computePair(s.signal[i*hopSamples:])
	}
	return s.power[i%2]
}

// computePair computes the power of the frame at the start of signal and of the frame one hop later, if it exists.
func (s *frameSpectrum) computePair(signal []float64) {
	size := len(s.window)
	first, second := signal[:size], signal[:size]
	if len(signal) >= hopSamples+size {
		second = signal[hopSamples:][:size]
	}
	for j, w := range s.window {
		s.frames[j] = complex(first[j]*w, second[j]*w)
	}
	bins := s.transform.transform(s.frames)
	for k := range s.power[0] {
		z, mirror := bins[k], bins[(size-k)%size]
		s.power[0][k] = squaredNorm(real(z)+real(mirror), imag(z)-imag(mirror)) / 4
		s.power[1][k] = squaredNorm(imag(z)+imag(mirror), real(mirror)-real(z)) / 4
	}
}

func squaredNorm(re, im float64) float64 { return float64(re*re) + float64(im*im) }

// computePower returns the power of one frame without windowing. It is valid until the next call.
func (s *frameSpectrum) computePower(frame []float64) []float64 {
	for j, v := range frame {
		s.frames[j] = complex(v, 0)
	}
	bins := s.transform.transform(s.frames)
	for k := range s.power[0] {
		s.power[0][k] = squaredNorm(real(bins[k]), imag(bins[k]))
	}
	return s.power[0]
}
