package audio

// hop is the way from one frame to the next, 10 ms.
const hop = SampleRate / 100

// spectrum is a short-time Fourier transform. Each frame is of as many samples as the transform has points, and the
// clip is continued by its mirror image on both sides, so that frame i is centred on sample i*hop.
//
// Two frames go through one transform, as its real and its imaginary part: the spectrum of the one is even, of the
// other odd.
type spectrum struct {
	window    []float64 // as long as the transform
	transform *transform
	signal    []float64 // the clip with its mirror images
	frames    []complex128
	power     [2][]float64 // of the bins of two frames
}

func newSpectrum(window []float64) *spectrum {
	size := len(window)
	s := &spectrum{window: window, transform: newTransform(size), frames: make([]complex128, size)}
	for i := range s.power {
		s.power[i] = make([]float64, size/2+1)
	}
	return s
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

// preEmphasis is how much of the sample before is taken from each.
const preEmphasis = 0.97

// emphasise takes a clip over, each sample less a part of the one before, with its mirror images.
func (s *spectrum) emphasise(samples []float32) {
	signal := s.extend(len(samples))
	before := 0.
	for i, v := range samples {
		signal[i] = float64(v) - float64(preEmphasis*before)
		before = float64(v)
	}
	s.reflect()
}

// at computes the power of frame i, which s keeps until the next pair of frames. Frames are asked for one after the
// other, from 0 on.
func (s *spectrum) at(i int) []float64 {
	if i%2 == 0 {
		s.pair(s.signal[i*hop:])
	}
	return s.power[i%2]
}

// pair computes the power of the frames at the start of the signal and one hop later, if that is there.
func (s *spectrum) pair(signal []float64) {
	size := len(s.window)
	first, second := signal[:size], signal[:size]
	if len(signal) >= hop+size {
		second = signal[hop:][:size]
	}
	for j, w := range s.window {
		s.frames[j] = complex(first[j]*w, second[j]*w)
	}
	bins := s.transform.of(s.frames)
	for k := range s.power[0] {
		z, mirror := bins[k], bins[(size-k)%size]
		s.power[0][k] = square(real(z)+real(mirror), imag(z)-imag(mirror)) / 4
		s.power[1][k] = square(imag(z)+imag(mirror), real(mirror)-real(z)) / 4
	}
}

func square(re, im float64) float64 { return float64(re*re) + float64(im*im) }

// of computes the power of one frame as it is, which s keeps until the next.
func (s *spectrum) of(frame []float64) []float64 {
	for j, v := range frame {
		s.frames[j] = complex(v, 0)
	}
	bins := s.transform.of(s.frames)
	for k := range s.power[0] {
		s.power[0][k] = square(real(bins[k]), imag(bins[k]))
	}
	return s.power[0]
}
