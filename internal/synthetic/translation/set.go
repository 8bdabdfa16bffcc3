package translation

import (
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// lexiconSeed is the seed of the words, which the sets share.
const lexiconSeed = 0x7472616e_00000000

// Sizes of the sets.
const (
	TrainCount = 16000
	EvalCount  = 600
)

// Set is a set of pairs.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x7472616e_00000001, TrainCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x7472616e_00000002, EvalCount)} }

// Pair is a sentence and its translation, as words and punctuation marks separated by spaces.
type Pair struct{ Source, Target string }

// words contains the words of both languages. It is immutable.
var words = sync.OnceValue(func() *lexicon { return newLexicon(draw.NewRandom(lexiconSeed)) })

// At writes pair i.
func (s Set) At(i int) Pair {
	w := &writer{lexicon: words(), random: draw.NewRandom(s.Seed, uint64(i))}
	w.sentence()
	return Pair{strings.Join(w.source, " "), strings.Join(w.target, " ")}
}
