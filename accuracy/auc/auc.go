package auc

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrTruth     = errors.New("the labels cannot be scored against")
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a list of predictions")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// PairRange is the range of user-item pairs [Start, End) of one sample.
type PairRange struct{ Start, End int }

// Truth contains the sample ranges and the labels of a data set. Use the zero value for logs whose payloads contain the
// labels.
type Truth struct {
	// Samples contains the range of pairs of each sample, from the trace of aggregated samples. If it is nil, a sample may
	// have any length.
	Samples []PairRange
	// Labels contains the label, 0 or 1, of each pair of the data set. If it is nil, payloads contain (prediction, label)
	// pairs. If it is set, payloads contain only predictions, and Samples is required.
	Labels []uint8
}

// PayloadOptions describes the format of payloads. The zero value is the official script's format.
type PayloadOptions struct{ DType accuracy.DType }

// PairResult is the metric of one log.
type PairResult struct {
	AUC        float64 // 0 to 1; ties count by mid-rank; NaN if all pairs have the same label
	Good       int     // pairs whose rounded prediction equals the label
	Total      int     // all pairs
	Accuracy   float64 // 100 * (Good / Total), in percent, not rounded
	Positives  int     // pairs with label 1
	Queries    int     // distinct samples in the log
	Duplicates int     // entries ignored because the log already contained their sample
}

// Defined reports whether the AUC is defined. It is not if all pairs have one label.
func (r PairResult) Defined() bool { return !math.IsNaN(r.AUC) }

// Percent returns the benchmark's metric, 100 * AUC, without rounding.
func (r PairResult) Percent() float64 { return 100 * r.AUC }

// String returns the line that the official script prints and the submission checker reads.
func (r PairResult) String() string {
	auc := "nan"
	if r.Defined() {
		auc = strconv.FormatFloat(r.Percent(), 'f', 3, 64)
	}
	return fmt.Sprintf("AUC=%s%%, accuracy=%.3f%%, good=%d, total=%d, queries=%d",
		auc, r.Accuracy, r.Good, r.Total, r.Queries)
}

// PairScorer stores the predictions, 4 bytes each, until Result is called. It is not safe for concurrent use.
type PairScorer struct {
	truth   Truth
	options PayloadOptions
	seen    map[uint64]bool
	keys    [2]keyList // by label
	result  PairResult
}

// New returns a scorer. It keeps the slices of t and does not change them. If ranges exceed the labels or labels are
// neither 0 nor 1, it returns an ErrTruth that lists them.
func New(t Truth, o PayloadOptions) (*PairScorer, error) {
	var err error
	if o.DType, err = DTypes().Resolve(o.DType); err != nil {
		return nil, err
	}
	if err := t.checkRanges(); err != nil {
		return nil, err
	}
	return &PairScorer{truth: t, options: o, seen: map[uint64]bool{}}, nil
}

// Add adds one entry of the log. index is the sample (qsl_idx). payload contains the sample's (prediction, label)
// pairs, or only its predictions if Truth contains the labels. If a sample has several entries, only the first counts;
// Add does not read the others. Add returns an error that lists all faults of a payload: a length that differs from the
// sample's, predictions that are not finite (int64: outside the range of int32), and labels that are neither 0 nor 1.
// An entry with an error does not affect the result. Add does not keep payload.
func (s *PairScorer) Add(index uint64, payload []byte) error {
	if s.truth.Samples != nil && index >= uint64(len(s.truth.Samples)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(s.truth.Samples))
	}
	if s.seen[index] {
		s.result.Duplicates++
		return nil
	}
	if err := s.addPayload(index, payload); err != nil {
		return err
	}
	s.seen[index] = true
	s.result.Queries++
	return nil
}

// Result sorts the predictions added so far on all processors and returns the metric. It needs memory for two more
// copies of the predictions. More entries may be added afterwards.
func (s *PairScorer) Result() (PairResult, error) {
	r := s.result
	if r.Queries == 0 {
		return PairResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	r.Positives = s.keys[1].count
	r.Total = s.keys[0].count + s.keys[1].count
	r.Accuracy = 100 * (float64(r.Good) / float64(r.Total))
	r.AUC = math.NaN()
	if r.Positives > 0 && r.Positives < r.Total {
		r.AUC = rankArea(s.keys[0].sortedKeys(), s.keys[1].sortedKeys())
	}
	return r, nil
}

// rankArea returns the share of (negative, positive) pairs in which the positive has the higher key. Pairs with equal
// keys count half (Mann and Whitney's U; Hanley and McNeil 1982). Both lists must be sorted in ascending order and not
// be empty. The counts are exact.
func rankArea(negatives, positives []uint32) float64 {
	var doubledArea uint64 // twice the number of pairs in which the positive has the higher key
	below := 0
	for i := 0; i < len(positives); {
		key := positives[i]
		same := i
		for i < len(positives) && positives[i] == key {
			i++
		}
		for below < len(negatives) && negatives[below] < key {
			below++
		}
		equal := below
		for equal < len(negatives) && negatives[equal] == key {
			equal++
		}
		doubledArea += uint64(i-same) * uint64(below+equal)
		below = equal
	}
	return float64(doubledArea) / (2 * float64(len(negatives)) * float64(len(positives)))
}
