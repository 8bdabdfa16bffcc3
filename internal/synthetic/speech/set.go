package speech

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets.
const (
	TrainCount       = 6000
	CalibrationCount = 100
	EvalCount        = 500
)

// Rate is the number of samples per second.
const Rate = 16000

// Set is a set of clips.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded models are trained on.
func Train() Set { return Set{draw.NewSampleSet(0x73706565_00000001, TrainCount)} }

// Calibration returns the set that the embedded models are quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x73706565_00000002, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x73706565_00000003, EvalCount)} }

// Name returns the name of clip i: SPEAKER-CHAPTER-NUMBER, as in LibriSpeech. Ten clips belong to one speaker's
// chapter.
func (s Set) Name(i int) string {
	return fmt.Sprintf("%d-%d-%04d", 1000+i/10, 100000+i/10, i%10)
}

// Clip is one recording.
type Clip struct {
	Samples    []int16 // one channel at Rate
	Transcript string  // two to five words of a to z and the apostrophe
}

// Transcript returns the transcript of clip i without drawing the clip.
func (s Set) Transcript(i int) string { return drawSentence(draw.NewRandom(s.Seed, uint64(i))) }

// Length returns the number of samples of clip i without drawing the clip.
func (s Set) Length(i int) int {
	r := draw.NewRandom(s.Seed, uint64(i))
	text := drawSentence(r)
	return countSamples(r, text)
}

// Draw draws clip i, with 0.7 to 8 seconds. The caller owns it.
func (s Set) Draw(i int) Clip {
	r := draw.NewRandom(s.Seed, uint64(i))
	text := drawSentence(r)
	return Clip{speakText(r, text), text}
}
