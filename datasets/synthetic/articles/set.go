package articles

import "github.com/plumbline-ml/plumbline/datasets/internal/draw"

// Seeds of the sets.
const (
	TrainSeed       = 0x61727469_00000001
	CalibrationSeed = 0x61727469_00000002
	EvalSeed        = 0x61727469_00000003
)

// Sizes of the sets.
const (
	TrainCount       = 24000
	CalibrationCount = 200
	EvalCount        = 500
)

// Set is a set of articles: article i depends on Seed and i alone, so N only bounds the set. A Set may be
// used from many goroutines.
type Set struct {
	Seed uint64
	N    int
}

// Train is the set that the embedded model is trained on.
func Train() Set { return Set{TrainSeed, TrainCount} }

// Calibration is the set that the embedded model is quantised with.
func Calibration() Set { return Set{CalibrationSeed, CalibrationCount} }

// Eval is the set that accuracy is measured on.
func Eval() Set { return Set{EvalSeed, EvalCount} }

// Len is the number of articles.
func (s Set) Len() int { return s.N }

// Article is one article and what it should be summarised to. Sentences are separated by single blanks.
type Article struct {
	Text    string
	Summary string
}

// At writes article i.
func (s Set) At(i int) Article {
	return write(draw.NewRandom(s.Seed, uint64(i)))
}
