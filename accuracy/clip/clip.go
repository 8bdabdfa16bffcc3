package clip

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// PictureScorer collects the scores of pictures. It is not safe for concurrent use.
type PictureScorer struct {
	seen       []bool
	scores     []float64
	duplicates int
}

// New returns a scorer for a data set of so many captions.
func New(captions int) *PictureScorer { return &PictureScorer{seen: make([]bool, captions)} }

// NeedsScore reports whether a sample (qsl_idx) still needs a score: of several entries the first counts, so that
// the features of others need not be computed. It counts those others. A sample outside the data set is ErrIndex.
func (s *PictureScorer) NeedsScore(index uint64) (bool, error) {
	if index >= uint64(len(s.seen)) {
		return false, fmt.Errorf("%w: sample %d, want one below %d; is this the data set that the log was made with?",
			ErrIndex, index, len(s.seen))
	}
	if s.seen[index] {
		s.duplicates++
	}
	return !s.seen[index], nil
}

// Add scores a sample for which NeedsScore is true, by the features of its picture and of its caption, of any length
// but 0. After an error it has no effect on the result.
func (s *PictureScorer) Add(index uint64, picture, caption []float32) error {
	if index >= uint64(len(s.seen)) || s.seen[index] {
		return fmt.Errorf("%w: sample %d has been scored, or is not below %d", ErrIndex, index, len(s.seen))
	}
	score, err := Score(picture, caption)
	if err != nil {
		return fmt.Errorf("sample %d: %w", index, err)
	}
	s.seen[index] = true
	s.scores = append(s.scores, score)
	return nil
}

// Score is 100 times the cosine of the angle between the features of a picture and of a caption, of -100 to 100: unlike
// in other CLIP scores, negative ones count. Features that are normalised already make no difference.
func Score(picture, caption []float32) (float64, error) {
	if len(picture) != len(caption) || len(picture) == 0 {
		return 0, fmt.Errorf("%w: %d of the picture and %d of the caption, want as many of both: are these the two halves "+
			"of one model?", ErrFeatures, len(picture), len(caption))
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
			ErrFeatures, math.Sqrt(p), math.Sqrt(c))
	}
	return score, nil
}

// PictureResult is the metric of one log.
type PictureResult struct {
	Score      float64 // CLIP_SCORE: the mean of all samples seen, not rounded
	Samples    int     // distinct ones
	Duplicates int     // entries that were not scored because their sample had been seen
}

// Result returns the metric of the samples added so far, or ErrNoSamples.
func (s *PictureScorer) Result() (PictureResult, error) {
	if len(s.scores) == 0 {
		return PictureResult{}, fmt.Errorf("%w: want at least one entry; was the run made in accuracy mode?", ErrNoSamples)
	}
	return PictureResult{Score: pyfloat.Mean(s.scores), Samples: len(s.scores), Duplicates: s.duplicates}, nil
}
