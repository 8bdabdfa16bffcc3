package resnet50

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// classScorer reports top-1. If a sample has several entries in the log, the first one counts.
type classScorer struct {
	offset   int64 // offset with which the answers were made, if it is known
	known    bool  // otherwise the run's model file determined the offset
	top5     bool  // the log contains the five best classes
	expected *expectedClasses
}

// newClassScorer returns a scorer of answers against the labels of a set. s.expected may be nil.
func newClassScorer(set labelSet, d accuracy.DType, s classScorer, exhibits int) sdk.Scorer {
	labels := make([]int, set.Len())
	for i := range labels {
		labels[i] = set.Label(i)
	}
	metric := topk.New(labels, topk.PayloadOptions{DType: d})
	add := func(sample uint64, answer []byte) error {
		return errors.Join(metric.Add(sample, answer), s.expected.addAnswer(sample, answer))
	}
	log := scoring.Log{Samples: set.Len(), Exhibits: exhibits, Gallery: wrongPictures(set, d)}
	return scoring.New(scoring.Of(add, metric.Result), log, s.scoreClasses)
}

func (s classScorer) scoreClasses(r topk.ClassResult, c scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{
		Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: r.Accuracy}}, OfficialText: r.String(),
	}
	var n sdk.Notes
	if s.top5 {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: "top5", Unit: "%", Value: r.Top5})
		n.Add("payload=top5: a log of five classes per picture is not the official one")
	}
	n = append(n, c.Notes("samples", "the accuracy is that")...)
	s.noteShift(r, &n)
	score.Notes = n
	err := s.expected.addAgreement(&score)
	return score, err
}

// noteShift notes which offset is probably right if almost all answers are wrong, and most of them differ from their
// label by one.
func (s classScorer) noteShift(r topk.ClassResult, n *sdk.Notes) {
	near, offset := r.Above, s.offset+1
	if r.Below > r.Above {
		near, offset = r.Below, s.offset-1
	}
	if 20*r.Good > r.Total || 5*near < r.Total {
		return
	}
	change := fmt.Sprintf("=%d, not %d", offset, s.offset)
	if !s.known {
		change = fmt.Sprintf(" changed by %+d", offset-s.offset)
	}
	n.Add("%d of %d answers are one beside their label, and %d right: with --param offset%s, the accuracy would be "+
		"%.1f %%", near, r.Total, r.Good, change, 100*float64(near)/float64(r.Total))
}
