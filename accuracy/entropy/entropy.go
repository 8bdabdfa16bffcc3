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

// ErrPayload is wrapped by the errors of payloads that the official script stops at.
var ErrPayload = errors.New("the payload is not that of an accuracy run")

// RequestScorer accumulates the scores of requests. The zero value is empty. Its memory does not depend on the number
// of requests. It is not safe for concurrent use.
type RequestScorer struct {
	entries                    int
	lost                       float64 // cross entropy, in bits
	weight, positive, negative float64 // sums of weights: all, of labels, of what labels lack to 1
	right                      float64 // weights of predictions on the label's side of 0.5

	grouped                int     // requests with positive and negative candidates
	area, minArea, maxArea float64 // their areas: with ties in the order of the payload, in the worst one and in the best
	odd                    OddCounts
	predictions            []float32 // of the last payload, as are the others
	labels                 []float32
	weights                []float32
	order                  []uint64
}

// OddCounts counts unusual requests, which are scored unchanged.
type OddCounts struct {
	Empty  int // requests without candidates
	NaN    int // requests with a prediction that is no number, with which the normalized entropy is none
	Labels int // requests with labels other than 0 and 1
	Ties   int // requests whose area depends on the order of equal predictions
}

// Add scores a request: float32 values, little-endian: its period, its index, the predictions of n candidates, as many
// labels and weights, and n. A payload of another form is an error that wraps ErrPayload.
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

// countCandidates returns how many candidates a payload says that it has.
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

func readFloats(into []float32, data []byte) []float32 {
	for i := 0; i < len(data); i += 4 {
		into = append(into, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
	}
	return into
}

// least bounds probabilities away from 0 and 1.
const minProbability = 1e-12

func clampProbability(p float64) float64 { return min(max(p, minProbability), 1-minProbability) }

// addEntropy adds cross entropy and right predictions. Sums of weights of a request are float32, as in the official
// metric.
func (s *RequestScorer) addEntropy() {
	if len(s.predictions) == 0 {
		s.odd.Empty++
	}
	var weight, positive, negative float32
	nan, soft := false, false
	for i, prediction := range s.predictions {
		label, w := s.labels[i], s.weights[i]
		p := clampProbability(float64(prediction))
		nan = nan || prediction != prediction
		soft = soft || label != 0 && label != 1
		if said, unsaid := w*label, w*(1-label); unsaid == 0 { // of most, one is nothing
			s.lost -= float64(said) * math.Log2(p)
		} else if said == 0 {
			s.lost -= float64(unsaid) * math.Log2(1-p)
		} else {
			s.lost -= float64(said)*math.Log2(p) + float64(unsaid)*math.Log2(1-p)
		}
		weight += w
		positive += w * label
		negative += w * (1 - label)
		said := float32(0)
		if float64(prediction) >= 0.5 {
			said = 1
		}
		if said == label {
			s.right += float64(w)
		}
	}
	s.weight, s.positive, s.negative = s.weight+float64(weight), s.positive+float64(positive), s.negative+float64(negative)
	if nan {
		s.odd.NaN++
	}
	if soft {
		s.odd.Labels++
	}
}

// RequestResult contains the scores of all requests.
type RequestResult struct {
	// Entropy is the normalized entropy: cross entropy by that of the labels' share. It is better when lower; NaN where
	// no weight is above 0.
	Entropy  float64
	Accuracy float64 // 0 to 1
	GAUC     float64 // mean area of the requests that have one, 0 to 1; 0.5 where none has
	// MinGAUC and MaxGAUC are those of other orders of equal predictions: the official sort leaves theirs open.
	MinGAUC, MaxGAUC float64

	Requests int
	Grouped  int // requests that have an area
	Odd      OddCounts
}

// Result may be asked at any time.
func (s *RequestScorer) Result() RequestResult {
	mean := func(sum float64) float64 { return (sum + 1e-9) / (float64(s.grouped) + 2e-9) }
	r := RequestResult{
		GAUC: mean(s.area), MinGAUC: mean(s.minArea), MaxGAUC: mean(s.maxArea),
		Requests: s.entries, Grouped: s.grouped, Odd: s.odd,
	}
	if s.weight != 0 {
		r.Accuracy = s.right / s.weight
	}
	share := clampProbability(s.positive / max(s.weight, minProbability))
	r.Entropy = s.lost / (-s.positive*math.Log2(share) - s.negative*math.Log2(1-share))
	return r
}

// Text are the lines of the official script that the submission checker reads: without exponents, which it takes for
// the end of a number.
func (r RequestResult) Text() string {
	const form = "metric/lifetime_ne/rating: %s\nmetric/lifetime_accuracy/rating: %s\nmetric/lifetime_gauc/rating: %s\n"
	return fmt.Sprintf(form, formatPlain(r.Entropy), formatPlain(r.Accuracy), formatPlain(r.GAUC))
}

// formatPlain writes a number as Python does, but for its exponents.
func formatPlain(v float64) string {
	if text := pyfloat.Repr(v); !strings.ContainsAny(text, "eE") {
		return text
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
