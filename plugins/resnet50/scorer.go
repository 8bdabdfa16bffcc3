package resnet50

import (
	"errors"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes top-1. Of several entries of one sample the first counts.
type scorer struct {
	topk     *topk.Scorer
	labels   int
	offset   int64 // that the answers were made with
	top5     bool  // the log has the five best classes
	expected *expected
}

func newScorer(set labelled, d payload.DType, offset int64, top5 bool, x *expected) *scorer {
	labels := lists.Make(set.Len(), set.Label)
	return &scorer{topk.New(labels, topk.Options{DType: d}), len(labels), offset, top5, x}
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(errors.Join(s.topk.Add(e.QSLIndex, e.Data), s.expected.add(e)))
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.topk.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	score := sdk.Score{
		Metrics:      []sdk.Metric{{Name: "accuracy", Unit: "%", Value: r.Accuracy}},
		Samples:      r.Total,
		OfficialText: r.String(),
	}
	var n sdk.Notes
	if s.top5 {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: "top5", Unit: "%", Value: r.Top5})
		n.Add("payload=top5: a log of five classes per picture is not the official one")
	}
	n.Dropped(r.Duplicates)
	n.Missing(s.labels-r.Total, s.labels, "samples", "the accuracy is that")
	s.shifted(r, &n)
	score.Notes = n
	err = s.expected.judge(&score)
	return score, err
}

// shifted notes which offset would be right where hardly an answer is right, and most of them are by
// one beside their label.
func (s *scorer) shifted(r topk.Result, n *sdk.Notes) {
	near, offset := r.Above, s.offset+1
	if r.Below > r.Above {
		near, offset = r.Below, s.offset-1
	}
	if 20*r.Good > r.Total || 5*near < r.Total {
		return
	}
	n.Add("%d of %d answers are one beside their label, and %d right: with --param offset=%d, not %d, the accuracy would "+
		"be %.1f %%", near, r.Total, r.Good, offset, s.offset, 100*float64(near)/float64(r.Total))
}
