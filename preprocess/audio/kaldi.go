package audio

import (
	"fmt"
	"math"
)

// Parameters of Kaldi's filter bank in icefall's recipes.
const (
	kaldiSize        = 512 // points of the transform
	kaldiWindow      = 400
	kaldiMinHertz    = 20. // hertz
	kaldiMaxHertz    = SampleRate/2 - 400.
	kaldiWindowPower = 0.85                   // exponent of a Hann window, which gives Povey's window
	kaldiMinEnergy   = 1.1920928955078125e-07 // minimum energy: float32's epsilon
	kaldiPerNeper    = 1127.                  // factor of ln(1 + hertz/700) on the mel scale
)

// KaldiMinSamples is the minimum number of samples of a clip with a frame.
const KaldiMinSamples = hopSamples / 2

// Kaldi computes the logarithms of a mel filter bank like Kaldi, without dither and with frames up to both ends of the
// clip, as required by icefall's models. It does not normalize.
type Kaldi struct {
	spectrum *frameSpectrum
	window   []float64
	frame    []float64 // zeros after the window
	filters  filterBank
}

// NewKaldi returns an extractor for one goroutine with the given number of mel filters, usually 80.
func NewKaldi(filters int) *Kaldi {
	k := &Kaldi{
		spectrum: newFrameSpectrum(make([]float64, kaldiSize)), window: make([]float64, kaldiWindow),
		frame: make([]float64, kaldiSize),
	}
	for i := range k.window {
		k.window[i] = math.Pow(0.5-0.5*math.Cos(2*math.Pi*float64(i)/(kaldiWindow-1)), kaldiWindowPower)
	}
	low, high := kaldiMel(kaldiMinHertz), kaldiMel(kaldiMaxHertz)
	step := (high - low) / float64(filters+1)
	for i := range filters {
		k.filters = append(k.filters, newKaldiFilter(low+float64(i)*step, step))
	}
	return k
}

func kaldiMel(hertz float64) float64 { return kaldiPerNeper * math.Log(1+hertz/700) }

// newKaldiFilter returns a triangular filter over the mel scale, which rises to 1 within step and falls to 0 within the
// next step.
func newKaldiFilter(low, step float64) melFilter {
	f := melFilter{first: -1}
	for bin := range kaldiSize / 2 {
		mel := kaldiMel(float64(bin) * SampleRate / kaldiSize)
		height := min(mel-low, low+2*step-mel) / step
		if height <= 0 {
			continue
		}
		if f.first < 0 {
			f.first = bin
		}
		f.weights = append(f.weights, height)
	}
	f.first = max(f.first, 0)
	return f
}

// Append appends the features of a clip at SampleRate, float32 [(len(samples)+80)/160, filters], to dst. If the clip
// has fewer than KaldiMinSamples, the error wraps ErrShort.
func (k *Kaldi) Append(dst, samples []float32) ([]float32, error) {
	if len(samples) < KaldiMinSamples {
		return dst, fmt.Errorf("%w: %d samples, want %d or more", ErrShort, len(samples), KaldiMinSamples)
	}
	for i := range (len(samples) + hopSamples/2) / hopSamples {
		k.cutFrame(samples, i)
		power := k.spectrum.computePower(k.frame)
		for _, f := range k.filters {
			dst = append(dst, float32(math.Log(max(f.weightedSum(power), kaldiMinEnergy))))
		}
	}
	return dst, nil
}

// cutFrame extracts frame i of a clip, which is extended by its mirror image at both ends. It subtracts the mean,
// applies pre-emphasis, and multiplies by the window.
func (k *Kaldi) cutFrame(samples []float32, i int) {
	frame, first := k.frame[:kaldiWindow], i*hopSamples+hopSamples/2-kaldiWindow/2
	mean := 0.
	for j := range frame {
		frame[j] = float64(samples[mirroredIndex(first+j, len(samples))])
		mean += frame[j] / kaldiWindow
	}
	for j := range frame {
		frame[j] -= mean
	}
	for j := kaldiWindow - 1; j >= 0; j-- {
		frame[j] = (frame[j] - float64(preEmphasis*frame[max(j-1, 0)])) * k.window[j]
	}
}

// mirroredIndex returns the index of the sample of a clip of n samples that replaces sample i. At the ends, the first
// and the last sample are repeated.
func mirroredIndex(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i - 1
		} else {
			i = 2*n - 1 - i
		}
	}
	return i
}
