package articles

import "github.com/plumbline-ml/plumbline/internal/draw"

// Sizes of the sets.
const (
	TrainCount       = 24000
	CalibrationCount = 200
	EvalCount        = 500
)

// Set is a set of articles.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x61727469_00000001, TrainCount)} }

// Calibration returns the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x61727469_00000002, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x61727469_00000003, EvalCount)} }

// SummarisedArticle is an article and its reference summary. Single blanks separate sentences.
type SummarisedArticle struct {
	Text    string
	Summary string
}

// At writes article i.
func (s Set) At(i int) SummarisedArticle {
	return writeArticle(draw.NewRandom(s.Seed, uint64(i)))
}
