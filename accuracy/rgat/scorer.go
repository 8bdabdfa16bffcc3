package rgat

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrIndex     = errors.New("the accuracy log names a sample outside the data set")
	ErrPayload   = errors.New("the accuracy log holds no payload that is a class")
	ErrNoSamples = errors.New("the accuracy log holds no sample")
)

// maxListed is the maximum number of unread payloads that a result describes.
const maxListed = 5

// ClassResult is the metric of one log.
type ClassResult struct {
	Good       int     // samples whose class equals their label
	Total      int     // distinct samples in the log: the denominator, as in the official script
	Accuracy   float64 // 100 * Good / Total, in percent, not rounded
	Duplicates int     // entries ignored because the log already contained their sample
	// Unread counts payloads that contain no class. They count as wrong; the official script stops at them. UnreadErrors
	// describes the first of them.
	Unread       int
	UnreadErrors []error
	Bytes        int // payloads read as uint8, in which classes above 255 cannot be right
}

// String returns the line that the official script writes.
func (r ClassResult) String() string {
	return fmt.Sprintf("accuracy=%.3f%%, good=%d, total=%d", r.Accuracy, r.Good, r.Total)
}

// ClassScorer counts right answers. It is not safe for concurrent use.
type ClassScorer struct {
	labels []int
	format ClassFormat
	seen   []bool
	result ClassResult
}

// New returns a scorer for a data set in which sample i has the class labels[i]. It keeps labels and does not change
// them.
func New(labels []int, f ClassFormat) *ClassScorer {
	return &ClassScorer{labels: labels, format: f, seen: make([]bool, len(labels))}
}

// Add scores one entry of the log. index is the sample (qsl_idx), data the raw bytes of its response. If a sample has
// several entries, only the first counts; Add does not read the others.
func (s *ClassScorer) Add(index uint64, data []byte) error {
	if index >= uint64(len(s.labels)) {
		return fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?", ErrIndex,
			index,
			len(s.labels))
	}
	if s.seen[index] {
		s.result.Duplicates++
		return nil
	}
	s.seen[index] = true
	s.result.Total++
	found, err := s.readClass(data)
	switch {
	case err != nil:
		s.result.Unread++
		if len(s.result.UnreadErrors) < maxListed {
			s.result.UnreadErrors = append(s.result.UnreadErrors, fmt.Errorf("sample %d: %w", index, err))
		}
	case found == int64(s.labels[index]):
		s.result.Good++
	}
	return nil
}

func (s *ClassScorer) readClass(data []byte) (int64, error) {
	d, err := s.format.resolveDType(data)
	if err != nil {
		return 0, err
	}
	if d == accuracy.UInt8 {
		s.result.Bytes++
	}
	return firstClass(d, data)
}

// Result returns the metric of the entries added so far. The error is ErrNoSamples if there are no entries, and
// ErrPayload if no payload could be read.
func (s *ClassScorer) Result() (ClassResult, error) {
	r := s.result
	if r.Total == 0 {
		return ClassResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	if r.Unread == r.Total {
		return ClassResult{}, fmt.Errorf("%w: %w; was it written with another dtype?", ErrPayload,
			errors.Join(r.UnreadErrors...))
	}
	r.Accuracy = 100 * float64(r.Good) / float64(r.Total)
	return r, nil
}
