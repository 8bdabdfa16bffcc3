package questions

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets, in passages.
const (
	TrainCount       = 12000
	CalibrationCount = 100
	EvalCount        = 250
)

// PerPassage is the number of questions about each passage.
const PerPassage = 4

// Set is a set of passages.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x706c756d_00000401, TrainCount)} }

// Calibration returns the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(0x706c756d_00000402, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x706c756d_00000403, EvalCount)} }

// Paragraph writes passage i and [PerPassage] questions about it, each with one answer.
func (s Set) Paragraph(i int) squad.Paragraph {
	w := writer{random: draw.NewRandom(s.Seed, uint64(i))}
	w.compose()
	p := squad.Paragraph{Title: "synthetic", Context: w.text.String()}
	for n, q := range w.writeQuestions(PerPassage) {
		q.ID = fmt.Sprintf("%08d-%d", i, n)
		p.Questions = append(p.Questions, q)
	}
	return p
}

// Paragraphs writes passages [first, end).
func (s Set) Paragraphs(first, end int) []squad.Paragraph {
	paragraphs := make([]squad.Paragraph, 0, end-first)
	for i := first; i < end; i++ {
		paragraphs = append(paragraphs, s.Paragraph(i))
	}
	return paragraphs
}

// SQuAD returns the whole set as a question set of package squad.
func (s Set) SQuAD() *squad.QuestionSet { return squad.FromParagraphs(s.Paragraphs(0, s.Len())) }
