package pictures

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// CaptionScorer collects the scores of pictures. It is not safe for concurrent use.
type CaptionScorer struct {
	seen       []bool
	scores     []float64
	duplicates int
}

// NewCaptionScorer returns a scorer for a data set with the given number of captions.
func NewCaptionScorer(captions int) *CaptionScorer {
	return &CaptionScorer{seen: make([]bool, captions)}
}

// NeedsScore reports whether a sample (qsl_idx) still needs a score. If a sample has several entries, only the first
// counts; NeedsScore counts the others, and the caller need not compute their features. A sample outside the data set
// yields ErrIndex.
func (s *CaptionScorer) NeedsScore(index uint64) (bool, error) {
	if index >= uint64(len(s.seen)) {
		return false, fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(s.seen))
	}
	if s.seen[index] {
		s.duplicates++
	}
	return !s.seen[index], nil
}

// Add scores a sample for which NeedsScore returned true, from the features of its picture and of its caption. The
// features may have any length above 0. A call that returns an error does not affect the result.
func (s *CaptionScorer) Add(index uint64, picture, caption []float32) error {
	if index >= uint64(len(s.seen)) || s.seen[index] {
		return fmt.Errorf("%w: sample %d has been scored, or is not below %d", ErrIndex, index, len(s.seen))
	}
	score, err := CaptionScore(picture, caption)
	if err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	s.seen[index] = true
	s.scores = append(s.scores, score)
	return nil
}

// CaptionScore returns 100 times the cosine of the angle between the features of a picture and of a caption, -100 to
// 100. Other CLIP scores replace negative values by 0; this one does not. Normalised features yield the same score.
func CaptionScore(picture, caption []float32) (float64, error) {
	if len(picture) != len(caption) || len(picture) == 0 {
		return 0, fmt.Errorf("%w: %d of the picture and %d of the caption, want as many of both: are these the two halves "+
			"of one model?", ErrAngle, len(picture), len(caption))
	}
	var dot, p, c float64
	for i, v := range picture {
		a, b := float64(v), float64(caption[i])
		dot += float64(a * b)
		p += float64(a * a)
		c += float64(b * b)
	}
	score := 100 * dot / (math.Sqrt(p) * math.Sqrt(c))
	if math.IsNaN(score) {
		return 0, fmt.Errorf("%w: the lengths are %v of the picture and %v of the caption, want finite ones above 0",
			ErrAngle, math.Sqrt(p), math.Sqrt(c))
	}
	return score, nil
}

// CaptionResult is the metric of one log.
type CaptionResult struct {
	Score      float64 // CLIP_SCORE: the mean over all samples, not rounded
	Samples    int     // distinct samples
	Duplicates int     // entries ignored because the log already contained their sample
}

// Result returns the metric of the samples added so far, or ErrNoSamples.
func (s *CaptionScorer) Result() (CaptionResult, error) {
	if len(s.scores) == 0 {
		return CaptionResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	return CaptionResult{Score: pyfloat.Mean(s.scores), Samples: len(s.scores), Duplicates: s.duplicates}, nil
}
