package audio

import "math"

// deviationOffset is added to each standard deviation.
const deviationOffset = 1e-5

// clipMoments contains the means and standard deviations of the values of a clip's frames.
type clipMoments struct{ means, deviations []float64 }

// normaliseFrames normalizes each of the width values of a frame to mean 0 and deviation 1 over the frames for which
// dst has room. The frames are the first ones in values. Three adjacent frames of a third of the width form one frame
// without being moved.
func (m *clipMoments) normaliseFrames(dst []float32, values []float64, width int) {
	if len(m.means) != width {
		m.means, m.deviations = make([]float64, width), make([]float64, width)
	}
	clear(m.means)
	clear(m.deviations)
	values = values[:len(dst)]
	frames := float64(len(dst) / width)
	visitValues(values, width, func(_, j int, v float64) { m.means[j] += v })
	for j := range m.means {
		m.means[j] /= frames
	}
	visitValues(values, width, func(_, j int,
		v float64) {
		m.deviations[j] += float64((v - m.means[j]) * (v - m.means[j]))
	})
	for j := range m.deviations {
		m.deviations[j] = math.Sqrt(m.deviations[j]/(frames-1)) + deviationOffset
	}
	visitValues(values, width, func(i, j int, v float64) { dst[i] = float32((v - m.means[j]) / m.deviations[j]) })
}

// visitValues calls visit with each value, its index in values and its index in its frame.
func visitValues(values []float64, width int, visit func(i, j int, v float64)) {
	for at := 0; at < len(values); at += width {
		for j, v := range values[at:][:width] {
			visit(at+j, j, v)
		}
	}
}
