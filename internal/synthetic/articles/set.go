package articles

import "github.com/plumbline-ml/plumbline/internal/draw"

// Sizes of the sets.
const (
	TrainCount       = 24000
	CalibrationCount = 200
	EvalCount        = 500
)

// Set is a set of articles.
type Set struct{ draw.Samples }

// Train is the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSamples(0x61727469_00000001, TrainCount)} }

// Calibration is the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSamples(0x61727469_00000002, CalibrationCount)} }

// Eval is the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSamples(0x61727469_00000003, EvalCount)} }

// Article is one article and what it should be summarised to. Sentences are separated by single blanks.
type Article struct {
	Text    string
	Summary string
}

// At writes article i.
func (s Set) At(i int) Article {
	return write(draw.NewRandom(s.Seed, uint64(i)))
}
