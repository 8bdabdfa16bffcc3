package entropy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// ErrPayload is wrapped by the errors for payloads at which the official script stops.
var ErrPayload = errors.New("the payload is not that of an accuracy run")

// RequestScorer accumulates the scores of requests. The zero value is empty. Its memory use does not depend on the
// number of requests. It is not safe for concurrent use.
type RequestScorer struct {
	entries                    int
	crossEntropy               float64 // in bits
	weight, positive, negative float64 // sums of weights: all, times the label, times 1 minus the label
	correctWeight              float64 // weight of labels that lie on the prediction's side of 0.5

	grouped                int     // requests with positive and negative candidates
	area, minArea, maxArea float64 // sums: ties in the payload's order, the worst order and the best order
	oddCounts              OddCounts
	predictions            []float32 // these three slices are of the last payload
	labels                 []float32
	weights                []float32
	order                  []uint64
}

// OddCounts counts unusual requests. They are scored like the others.
type OddCounts struct {
	Empty  int // requests without candidates
	NaN    int // requests with a NaN prediction, which makes the normalized entropy NaN
	Labels int // requests with labels that are neither 0 nor 1
	Ties   int // requests whose area depends on the order of equal predictions
}

// Add scores a request. payload contains little-endian float32 values: period, index, the predictions of n candidates,
// their n labels, their n weights, and n. If the payload has another form, the error wraps ErrPayload.
func (s *RequestScorer) Add(payload []byte) error {
	n, err := countCandidates(payload)
	if err != nil {
		return err
	}
	values := payload[8:]
	for i, into := range []*[]float32{&s.predictions, &s.labels, &s.weights} {
		*into = readFloats((*into)[:0], values[4*n*i:4*n*(i+1)])
	}
	s.entries++
	s.addEntropy()
	s.addArea()
	return nil
}

// countCandidates returns the number of candidates that a payload states.
func countCandidates(payload []byte) (int, error) {
	const head = 3
	size := len(payload) / 4
	if len(payload)%4 != 0 || size < head {
		return 0, fmt.Errorf("%w: it has %d bytes, want float32 values: period, index, predictions, labels, weights and "+
			"their number", ErrPayload, len(payload))
	}
	n := math.Trunc(float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*(size-1):]))))
	if n < 0 || n > math.MaxInt32 || n != n || size != head+3*int(n) {
		return 0, fmt.Errorf("%w: it has %d values and ends in %v candidates, want %d + 3 for each; predictions alone are "+
			"those of a performance run", ErrPayload, size, n, head)
	}
	return int(n), nil
}

func readFloats(dst []float32, data []byte) []float32 {
	for i := 0; i < len(data); i += 4 {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
	}
	return dst
}

// minProbability is the minimum distance of clamped probabilities from 0 and 1.
const minProbability = 1e-12

func clampProbability(p float64) float64 { return min(max(p, minProbability), 1-minProbability) }

// addEntropy adds the cross entropy and the correct predictions of a request. It sums a request's weights in float32,
// like the official metric.
func (s *RequestScorer) addEntropy() {
	if len(s.predictions) == 0 {
		s.oddCounts.Empty++
	}
	var weight, positive, negative float32
	nan, soft := false, false
	for i, prediction := range s.predictions {
		label, w := s.labels[i], s.weights[i]
		p := clampProbability(float64(prediction))
		nan = nan || prediction != prediction
		soft = soft || label != 0 && label != 1
		if said, unsaid := w*label, w*(1-label); unsaid == 0 { // usually one of the terms is 0
			s.crossEntropy -= float64(said) * math.Log2(p)
		} else if said == 0 {
			s.crossEntropy -= float64(unsaid) * math.Log2(1-p)
		} else {
			s.crossEntropy -= float64(said)*math.Log2(p) + float64(unsaid)*math.Log2(1-p)
		}
		weight += w
		positive += w * label
		negative += w * (1 - label)
		said := float32(0)
		if float64(prediction) >= 0.5 {
			said = 1
		}
		if said == label {
			s.correctWeight += float64(w)
		}
	}
	s.weight, s.positive, s.negative = s.weight+float64(weight), s.positive+float64(positive), s.negative+float64(negative)
	if nan {
		s.oddCounts.NaN++
	}
	if soft {
		s.oddCounts.Labels++
	}
}

// RequestResult contains the scores of all requests.
type RequestResult struct {
	// Entropy is the normalized entropy: the cross entropy divided by the entropy of the labels' mean. Lower is better. It
	// is NaN if no weight is above 0.
	Entropy  float64
	Accuracy float64 // 0 to 1
	GAUC     float64 // mean area of the requests that have one, 0 to 1; 0.5 if no request has one
	// MinGAUC and MaxGAUC are the limits over all orders of equal predictions, which the official sort does not define.
	MinGAUC, MaxGAUC float64

	Requests int
	Grouped  int // requests that have an area
	Odd      OddCounts
}

// Result returns the scores of the requests added so far.
func (s *RequestScorer) Result() RequestResult {
	mean := func(sum float64) float64 { return (sum + 1e-9) / (float64(s.grouped) + 2e-9) }
	r := RequestResult{
		GAUC: mean(s.area), MinGAUC: mean(s.minArea), MaxGAUC: mean(s.maxArea),
		Requests: s.entries, Grouped: s.grouped, Odd: s.oddCounts,
	}
	if s.weight != 0 {
		r.Accuracy = s.correctWeight / s.weight
	}
	share := clampProbability(s.positive / max(s.weight, minProbability))
	r.Entropy = s.crossEntropy / (-s.positive*math.Log2(share) - s.negative*math.Log2(1-share))
	return r
}

// Text returns the lines of the official script that the submission checker reads. It writes numbers without exponents,
// because the checker stops reading a number at an exponent.
func (r RequestResult) Text() string {
	const form = "metric/lifetime_ne/rating: %s\nmetric/lifetime_accuracy/rating: %s\nmetric/lifetime_gauc/rating: %s\n"
	return fmt.Sprintf(form, formatPlain(r.Entropy), formatPlain(r.Accuracy), formatPlain(r.GAUC))
}

// formatPlain returns v as Python prints it, but without an exponent.
func formatPlain(v float64) string {
	if text := pyfloat.Repr(v); !strings.ContainsAny(text, "eE") {
		return text
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
