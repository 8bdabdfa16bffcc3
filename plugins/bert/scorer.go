package bert

import (
	"fmt"
	"strings"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// answerScorer reports exact match and F1. If a feature has several entries in the log, the last one counts.
type answerScorer struct {
	set         *questionSet
	options     accuracy.ScoreOptions
	maxExhibits int // maximum number of questions to show
}

func (s answerScorer) scoreAnswers(r accuracy.SpanResult, c scoring.Counts) (sdk.Score, error) {
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "F1", Unit: "%", Value: r.F1}, {Name: "exact_match", Unit: "%", Value: r.ExactMatch},
		},
		OfficialText: r.String(), Notes: s.scoreNotes(c), Exhibits: s.worstQuestions(r),
	}, nil
}

func (s answerScorer) scoreNotes(c scoring.Counts) (n sdk.Notes) {
	n.AddCount(c.Repeated(), "%d entries dropped: a later one of the same feature replaced them")
	n.AddCount(c.Missing(), "%d of %d features are not in the log; their windows were not searched for answers", c.All)
	if s.options.MaxExamples > 0 && s.options.MaxExamples <= len(s.set.examples) {
		n.Add("max_examples = %d: as in the official script, the last of these questions is counted and not scored",
			s.options.MaxExamples)
	}
	for _, remark := range s.set.remarks {
		n.Add("data set: %s", remark)
	}
	return n
}

// worstQuestions returns the questions whose answers differ most from the accepted ones. It requires the complete log,
// because a question may have several features.
func (s answerScorer) worstQuestions(r accuracy.SpanResult) []sdk.Exhibit {
	return exhibit.WorstSamples(len(s.set.examples), s.maxExhibits, func(i int) (badness float64,
		show func() sdk.Exhibit) {
		e := s.set.examples[i]
		_, f1 := accuracy.CompareAnswer(r.Predictions[e.ID], e.Answers)
		return 1 - f1, func() sdk.Exhibit {
			return sdk.Exhibit{
				Caption: fmt.Sprintf("question %s: F1 %.0f %%", e.ID, 100*f1),
				Text: exhibit.Paragraphs("PASSAGE", e.Passage(), "QUESTION", e.Question,
					"ACCEPTED", strings.Join(e.Answers, "\n"), "ANSWER", r.Predictions[e.ID]),
			}
		}
	})
}
