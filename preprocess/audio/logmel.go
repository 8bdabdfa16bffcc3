package audio

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/window"
)

// Parameters of Whisper's features.
const (
	whisperSize     = 400 // length of the transform and its window
	whisperSamples  = 30 * SampleRate
	whisperRange    = 8     // dynamic range below the clip's maximum, in powers of ten
	whisperMinPower = 1e-10 // minimum mel power
	minLog          = -10   // base-10 logarithm of whisperMinPower
	log10OfE        = 1 / math.Ln10
)

// LogMelFrames is the number of frames of Whisper's features for every clip, which is 30 s.
const LogMelFrames = whisperSamples / hopSamples

// LogMel computes the features of Whisper: a log-mel spectrogram of 30 s, relative to the clip's maximum.
type LogMel struct {
	spectrum *frameSpectrum
	filters  filterBank
}

// NewLogMel returns an extractor for one goroutine with the given number of mel filters: 128 for large-v3, 80 for
// earlier models.
func NewLogMel(filters int) *LogMel {
	w := slices.Repeat([]float64{1}, whisperSize+1)
	window.Hann(w) // a symmetric window with one more point is periodic
	return &LogMel{spectrum: newFrameSpectrum(w[:whisperSize]), filters: newFilterBank(filters, whisperSize)}
}

// Append appends the features of a clip at SampleRate, float32 [filters, LogMelFrames], to dst. A clip is truncated to
// 30 s or padded with silence.
func (m *LogMel) Append(dst, samples []float32) []float32 {
	start := len(dst)
	dst = append(dst, make([]float32, len(m.filters)*LogMelFrames)...)
	logs := dst[start:]
	heard := m.fillSignal(samples)
	loudest := float32(minLog)
	for i := range heard {
		power := m.spectrum.powerAt(i)
		for j, f := range m.filters {
			v := float32(math.Log(max(f.weightedSum(power), whisperMinPower)) * log10OfE)
			logs[j*LogMelFrames+i] = v
			loudest = max(loudest, v)
		}
	}
	minValue := loudest - whisperRange
	for j := range m.filters {
		scaleLogs(logs[j*LogMelFrames:][:LogMelFrames], heard, minValue)
	}
	return dst
}

// scaleLogs limits the logarithms of one filter to the minimum and scales them. Frames after the first heard ones are
// silent.
func scaleLogs(logs []float32, heard int, minValue float32) {
	for i, v := range logs[:heard] {
		logs[i] = (max(v, minValue) + 4) / 4
	}
	silence := (max(minLog, minValue) + 4) / 4
	for i := range logs[heard:] {
		logs[heard+i] = silence
	}
}

// fillSignal copies the clip and returns the number of frames that overlap it. Other frames are silent.
func (m *LogMel) fillSignal(samples []float32) int {
	signal := m.spectrum.extendSignal(whisperSamples)
	n := min(len(samples), whisperSamples)
	for i, v := range samples[:n] {
		signal[i] = float64(v)
	}
	clear(signal[n:])
	m.spectrum.reflectMargins()
	if n == whisperSamples {
		return LogMelFrames
	}
	return min(ceilDiv(n+m.spectrum.marginLength(), hopSamples), LogMelFrames)
}
