package squad

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a feature outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not start and end logits")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// noAnswer is the reference's prediction for a question without a span.
const noAnswer = "empty"

// Example is a question of the data set.
type Example struct {
	ID       string
	Question string             // only for display: it may be empty
	Answers  []string           // the accepted answers; if empty, the question scores 0
	Features []features.Feature // in the order of their windows; empty if the passage has no tokens
}

// Passage returns the words of the question's passage, or "" if it has no tokens.
func (e Example) Passage() string {
	if len(e.Features) == 0 {
		return ""
	}
	return strings.Join(e.Features[0].Passage().Words(), " ")
}

// AllFeatures returns the features of all examples in order. The caller owns the slice.
func AllFeatures(examples []Example) (all []features.Feature) {
	for _, e := range examples {
		all = append(all, e.Features...)
	}
	return all
}

// FirstExamples returns the examples of the first n features, n >= 1. The last example keeps only its features among
// the first n. It changes examples.
func FirstExamples(examples []Example, n int) []Example {
	for i := range examples {
		e := &examples[i]
		if len(e.Features) >= n {
			e.Features = e.Features[:n]
			return examples[:i+1]
		}
		n -= len(e.Features)
	}
	return examples
}

// ScoreOptions describes the format of payloads. The zero value is the official script's format. The tags name the
// benchmark's parameters (sdk/option).
type ScoreOptions struct {
	DType      accuracy.DType `param:"dtype"`
	Transposed bool           `param:"transposed"` // payloads contain all start logits, then all end logits; not pairs
	Length     int            // maximum number of positions in a payload; missing positions count as -10000; 0: 384
	// MaxExamples is the number of questions to score; 0: all. As in the official script, the last of them is counted but
	// not scored.
	MaxExamples int `param:"max_examples" min:"0" max:"int32"`
}

// SpanResult is the metric of one log.
type SpanResult struct {
	ExactMatch  float64           // share of questions whose prediction is an accepted answer, in percent, not rounded
	F1          float64           // mean of the highest F1 with an accepted answer, in percent, not rounded
	Total       int               // questions: the denominator
	Missing     int               // features without an entry, whose windows were not searched
	Duplicates  int               // entries replaced by a later entry of the same feature
	Predictions map[string]string // the answer to each question, by its ID
}

// String returns the line that the official script prints and the submission checker reads.
func (r SpanResult) String() string {
	return fmt.Sprintf(`{"exact_match": %s, "f1": %s}`, pyfloat.Repr(r.ExactMatch), pyfloat.Repr(r.F1))
}

// SpanScorer stores the best span of each feature. It is not safe for concurrent use.
type SpanScorer struct {
	examples   []Example
	options    ScoreOptions
	features   []features.Feature // of all examples, by index in the log
	spans      []answerSpan
	seen       []bool
	duplicates int
	logits     spanLogits
}

// New returns a scorer for a data set. Sample i of the log is feature i of the concatenated features of examples. New
// keeps examples and does not change them.
func New(examples []Example, o ScoreOptions) *SpanScorer {
	o.Length = cmp.Or(o.Length, 384)
	s := &SpanScorer{examples: examples, options: o, features: AllFeatures(examples)}
	s.spans = make([]answerSpan, len(s.features))
	s.seen = make([]bool, len(s.features))
	length := min(max(o.Length, 0), math.MaxInt16)
	s.logits = spanLogits{make([]float64, length), make([]float64, length)}
	return s
}

// Add scores one entry of the log. index is the feature (qsl_idx), payload the raw bytes of its response. If a feature
// has several entries, the last counts. An entry with an error does not affect the result.
func (s *SpanScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.features)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set and the vocabulary that the log was "+
			"made with?", ErrIndex, index, len(s.features))
	}
	if err := s.logits.readPayload(payload, s.options); err != nil {
		return fmt.Errorf("%w: sample %d: %w", ErrPayload, index, err)
	}
	if s.seen[index] {
		s.duplicates++
	}
	s.seen[index] = true
	s.spans[index] = bestSpan(s.features[index], s.logits)
	return nil
}

// Result returns the metric of the entries added so far, or ErrNoSamples.
func (s *SpanScorer) Result() (SpanResult, error) {
	r := SpanResult{Duplicates: s.duplicates, Predictions: s.predictAnswers()}
	for _, seen := range s.seen {
		if !seen {
			r.Missing++
		}
	}
	if r.Missing == len(s.seen) {
		return SpanResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	exact, sum := 0, 0.0
	for _, e := range s.examples {
		if r.Total++; r.Total == s.options.MaxExamples {
			break
		}
		predicted, ok := r.Predictions[e.ID]
		if !ok {
			continue
		}
		same, f := CompareAnswer(predicted, e.Answers)
		if sum += f; same {
			exact++
		}
	}
	r.ExactMatch = 100 * float64(exact) / float64(r.Total)
	r.F1 = 100 * sum / float64(r.Total)
	return r, nil
}

// predictAnswers returns the answers to all questions, or to the first MaxExamples.
func (s *SpanScorer) predictAnswers() map[string]string {
	examples := s.examples
	if limit := s.options.MaxExamples; limit > 0 && limit < len(examples) {
		examples = examples[:limit]
	}
	answers := make(map[string]string, len(examples))
	at := 0
	for _, e := range examples {
		answers[e.ID] = s.bestAnswer(at, at+len(e.Features))
		at += len(e.Features)
	}
	return answers
}

// bestAnswer returns the text of the best span in a range of features. Among spans with equal scores, the first counts.
func (s *SpanScorer) bestAnswer(from, to int) string {
	best := -1
	for i := from; i < to; i++ {
		if s.spans[i].found && (best < 0 || s.spans[i].score > s.spans[best].score) {
			best = i
		}
	}
	if best < 0 {
		return noAnswer
	}
	return s.spans[best].textIn(s.features[best])
}
