package audio

// hop is the way from one frame to the next, 10 ms.
const hop = SampleRate / 100

// frameSpectrum is a short-time Fourier transform. Each frame is of as many samples as the transform has points, and
// the clip is continued by its mirror image on both sides, so that frame i is centred on sample i*hop.
//
// Two frames go through one transform, as its real and its imaginary part: the spectrum of the one is even, of the
// other odd.
type frameSpectrum struct {
	window    []float64 // as long as the transform
	transform *fourierTransform
	signal    []float64 // the clip with its mirror images
	frames    []complex128
	power     [2][]float64 // of the bins of two frames
}

func newSpectrum(window []float64) *frameSpectrum {
	size := len(window)
	s := &frameSpectrum{window: window, transform: newTransform(size), frames: make([]complex128, size)}
	for i := range s.power {
		s.power[i] = make([]float64, size/2+1)
	}
	return s
}

// marginLength is the length of a mirror image.
func (s *frameSpectrum) marginLength() int { return len(s.window) / 2 }

// extendSignal makes room for a clip of n samples. The caller fills it and calls reflectMargins. n must exceed the
// margin.
func (s *frameSpectrum) extendSignal(n int) []float64 {
	if total := n + 2*s.marginLength(); cap(s.signal) < total {
		s.signal = make([]float64, total)
	} else {
		s.signal = s.signal[:total]
	}
	return s.signal[s.marginLength():][:n]
}

// reflectMargins fills the margins with the clip's mirror images; the first and the last sample are not repeated.
func (s *frameSpectrum) reflectMargins() {
	m, n := s.marginLength(), len(s.signal)-2*s.marginLength()
	for i := 1; i <= m; i++ {
		s.signal[m-i] = s.signal[m+i]
		s.signal[m+n-1+i] = s.signal[m+n-1-i]
	}
}

// preEmphasis is how much of the sample before is taken from each.
const preEmphasis = 0.97

// fillEmphasised takes a clip over, each sample less a part of the one before, with its mirror images.
func (s *frameSpectrum) fillEmphasised(samples []float32) {
	signal := s.extendSignal(len(samples))
	before := 0.
	for i, v := range samples {
		signal[i] = float64(v) - float64(preEmphasis*before)
		before = float64(v)
	}
	s.reflectMargins()
}

// powerAt computes the power of frame i, which s keeps until the next pair of frames. Frames are asked for one after
// the other, from 0 on.
func (s *frameSpectrum) powerAt(i int) []float64 {
	if i%2 == 0 {
		s.computePair(s.signal[i*hop:])
	}
	return s.power[i%2]
}

// computePair computes the power of the frames at the start of the signal and one hop later, if that is there.
func (s *frameSpectrum) computePair(signal []float64) {
	size := len(s.window)
	first, second := signal[:size], signal[:size]
	if len(signal) >= hop+size {
		second = signal[hop:][:size]
	}
	for j, w := range s.window {
		s.frames[j] = complex(first[j]*w, second[j]*w)
	}
	bins := s.transform.apply(s.frames)
	for k := range s.power[0] {
		z, mirror := bins[k], bins[(size-k)%size]
		s.power[0][k] = squaredNorm(real(z)+real(mirror), imag(z)-imag(mirror)) / 4
		s.power[1][k] = squaredNorm(imag(z)+imag(mirror), real(mirror)-real(z)) / 4
	}
}

func squaredNorm(re, im float64) float64 { return float64(re*re) + float64(im*im) }

// powerOf computes the power of one frame as it is, which s keeps until the next.
func (s *frameSpectrum) powerOf(frame []float64) []float64 {
	for j, v := range frame {
		s.frames[j] = complex(v, 0)
	}
	bins := s.transform.apply(s.frames)
	for k := range s.power[0] {
		s.power[0][k] = squaredNorm(real(bins[k]), imag(bins[k]))
	}
	return s.power[0]
}
