package entropy

import (
	"math"
	"slices"
)

// addArea adds the area under the ROC curve of the request if it has one. An area requires positive and negative
// candidates, and predictions that differ from the first prediction and from 0.
func (s *RequestScorer) addArea() {
	var positive, negative float64
	for i := range s.predictions {
		positive += float64(s.labels[i]) * float64(s.weights[i])
		negative += (1 - float64(s.labels[i])) * float64(s.weights[i])
	}
	same := !slices.ContainsFunc(s.predictions, func(p float32) bool { return p != s.predictions[0] && p != 0 })
	if same || positive <= 0 || negative <= 0 {
		return
	}
	s.sortCandidates()
	area, low, high := s.sweepAreas()
	pairs := positive*negative + 1e-10
	s.area += area / pairs
	s.minArea += low / pairs
	s.maxArea += high / pairs
	s.grouped++
	if low != high {
		s.oddCounts.Ties++
	}
}

// sortCandidates sorts the candidates by ascending prediction, with NaN last. Equal predictions keep their order. An
// element of order contains the prediction's bits, made sortable, above the candidate's index.
func (s *RequestScorer) sortCandidates() {
	s.order = s.order[:0]
	for i, p := range s.predictions {
		bits := math.Float32bits(p + 0) // -0 becomes 0
		switch {
		case p != p:
			bits = math.MaxUint32
		case bits>>31 != 0:
			bits = ^bits
		default:
			bits |= 1 << 31
		}
		s.order = append(s.order, uint64(bits)<<32|uint64(i))
	}
	slices.Sort(s.order)
}

// sweepAreas sums, for each positive candidate, the weight of the negative candidates before it. For equal predictions,
// area uses the order of the payload, low sorts all positive candidates first, and high all negative ones.
func (s *RequestScorer) sweepAreas() (area, low, high float64) {
	var before float64 // weight of the negative candidates so far
	for start := 0; start < len(s.order); {
		end := start + 1
		for end < len(s.order) && s.order[end]>>32 == s.order[start]>>32 {
			end++
		}
		first := before
		var positive float64
		for _, key := range s.order[start:end] {
			i := uint32(key)
			w, label := float64(s.weights[i]), float64(s.labels[i])
			before += w * (1 - label)
			area += w * label * before
			positive += w * label
		}
		low += positive * first
		high += positive * before
		start = end
	}
	return area, low, high
}
