package auc

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// Errors of this package, found with errors.Is.
var (
	ErrTruth     = errors.New("the labels cannot be scored against")
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds a payload that is not a list of predictions")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// PairRange is the range of user-item pairs [Start, End) of one sample.
type PairRange struct{ Start, End int }

// Truth contains the pairs and labels of samples. The zero value is for logs that contain the labels.
type Truth struct {
	// Samples are the pairs of each sample, as the trace of aggregated samples lists them. Nil: samples of any length.
	Samples []PairRange
	// Labels are 0 or 1 for each pair of the data set. Nil: payloads hold (prediction, label) pairs; otherwise they hold
	// predictions only, and Samples is needed.
	Labels []uint8
}

// PayloadOptions describes the format of payloads. The zero value is the official script's format.
type PayloadOptions struct{ DType accuracy.DType }

// PairResult is the metric of one log.
type PairResult struct {
	AUC        float64 // of 1, with ties by mid-rank; NaN if all pairs have one label, for which it has no value
	Good       int     // pairs whose prediction, rounded to a whole number, is their label
	Total      int     // pairs
	Accuracy   float64 // 100 * (Good / Total), in percent, not rounded
	Positives  int     // pairs with label 1
	Queries    int     // distinct samples seen
	Duplicates int     // entries dropped because their sample had been seen
}

// Defined reports whether the AUC is defined. It is not if all pairs have one label.
func (r PairResult) Defined() bool { return !math.IsNaN(r.AUC) }

// Percent is the benchmark's metric, 100 * AUC, not rounded.
func (r PairResult) Percent() float64 { return 100 * r.AUC }

// String is the line that the official script prints, which the submission checker looks for.
func (r PairResult) String() string {
	auc := "nan"
	if r.Defined() {
		auc = strconv.FormatFloat(r.Percent(), 'f', 3, 64)
	}
	return fmt.Sprintf("AUC=%s%%, accuracy=%.3f%%, good=%d, total=%d, queries=%d",
		auc, r.Accuracy, r.Good, r.Total, r.Queries)
}

// PairScorer stores the predictions, 4 bytes each, until Result. It is not safe for concurrent use.
type PairScorer struct {
	truth   Truth
	options PayloadOptions
	seen    map[uint64]bool
	keys    [2]keyList // by label
	result  PairResult
}

// New returns a scorer. It keeps the slices of t and does not change them. It returns an ErrTruth that lists ranges
// outside of the labels and labels that are neither 0 nor 1.
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

// Add takes one entry of the log: index is the sample (qsl_idx), payload its (prediction, label) pairs, or its
// predictions alone where Truth has the labels. Of several entries of one sample the first counts, and the others are
// not looked at. A payload of another length than its sample, predictions that are not finite (or, of int64, beyond
// int32) and labels that are neither 0 nor 1 are errors, which list all faults of the payload; the entry then has no
// effect on the result. Add does not keep payload.
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

// Result sorts the predictions added so far, with all processors, and needs memory for at most two more copies of them.
// More entries may follow.
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

// rankArea is the share of all (negative, positive) pairs whose positive has the higher key; equal keys count half
// (Mann and Whitney's U; Hanley and McNeil 1982). Both lists rise and are not empty. The counts are exact.
func rankArea(negatives, positives []uint32) float64 {
	var halves uint64 // twice the number of such pairs
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
		halves += uint64(i-same) * uint64(below+equal)
		below = equal
	}
	return float64(halves) / (2 * float64(len(negatives)) * float64(len(positives)))
}
