package topk

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a class number")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// PayloadOptions describes the format of payloads. The zero value is the official script's format.
type PayloadOptions struct {
	DType accuracy.DType
	// KeepWrong stores every wrong answer in ClassResult.Wrong.
	KeepWrong bool
}

// WrongAnswer is a wrong answer to one sample.
type WrongAnswer struct {
	Index    uint64 // of the sample in the data set
	Expected int
	Found    int64
}

// ClassResult is the metric of one log.
type ClassResult struct {
	Good       int           // samples whose class equals their label
	Total      int           // distinct samples in the log: the denominator, as in the official script
	Accuracy   float64       // 100 * Good / Total, in percent, not rounded
	Duplicates int           // entries ignored because the log already contained their sample
	Below      int           // answers that are one less than their label
	Above      int           // answers that are one more than their label
	Wrong      []WrongAnswer // in the order of the log; nil unless PayloadOptions.KeepWrong
	// Top5 is the share of samples whose label is one of the first five elements of their payload, in percent. Payloads of
	// the official benchmark have one element; Top5 then equals Accuracy.
	Top5 float64
}

// String returns the line that the official script prints and the submission checker reads.
func (r ClassResult) String() string {
	return fmt.Sprintf("accuracy=%.3f%%, good=%d, total=%d", r.Accuracy, r.Good, r.Total)
}

// ClassScorer counts right answers. It is not safe for concurrent use.
type ClassScorer struct {
	labels  []int
	options PayloadOptions
	seen    []bool
	result  ClassResult
	topFive int // samples whose label is among the first five elements
}

// New returns a scorer for a data set in which sample i has the class labels[i]. It keeps labels and does not change
// them.
func New(labels []int, o PayloadOptions) *ClassScorer {
	return &ClassScorer{labels: labels, options: o, seen: make([]bool, len(labels))}
}

// Add scores one entry of the log. index is the sample (qsl_idx), payload the raw bytes of its response. Element 0,
// truncated toward zero, is the class. If a sample has several entries, only the first counts; Add does not read the
// others. An entry with an error does not affect the result.
func (s *ClassScorer) Add(index uint64, payload []byte) error {
	if index >= uint64(len(s.labels)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(s.labels))
	}
	if s.seen[index] {
		s.result.Duplicates++
		return nil
	}
	found, err := firstClass(s.options.DType, payload)
	if err != nil {
		return fmt.Errorf("%w: sample %d: %w", ErrPayload, index, err)
	}
	s.seen[index] = true
	s.countAnswer(index, found)
	if amongTopFive(s.options.DType, payload, int64(s.labels[index])) {
		s.topFive++
	}
	return nil
}

func (s *ClassScorer) countAnswer(index uint64, found int64) {
	s.result.Total++
	expected := s.labels[index]
	if found == int64(expected) {
		s.result.Good++
		return
	}
	switch found - int64(expected) {
	case -1:
		s.result.Below++
	case 1:
		s.result.Above++
	}
	if s.options.KeepWrong {
		s.result.Wrong = append(s.result.Wrong, WrongAnswer{Index: index, Expected: expected, Found: found})
	}
}

// Result returns the metric of the entries added so far, or ErrNoSamples without entries.
func (s *ClassScorer) Result() (ClassResult, error) {
	r := s.result
	if r.Total == 0 {
		return ClassResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	r.Accuracy = 100 * float64(r.Good) / float64(r.Total)
	r.Top5 = 100 * float64(s.topFive) / float64(r.Total)
	return r, nil
}
