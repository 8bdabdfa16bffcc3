package resnet50

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes top-1. Of several entries of one sample the first counts.
type scorer struct {
	topk   *topk.Scorer
	labels int
}

func newScorer(labels []int, d topk.DType) *scorer {
	return &scorer{topk.New(labels, topk.Options{DType: d}), len(labels)}
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(s.topk.Add(e.QSLIndex, e.Data))
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
	if r.Duplicates > 0 {
		score.Notes = append(score.Notes, fmt.Sprintf("%d entries dropped: their samples had been answered before", r.Duplicates))
	}
	if missing := s.labels - r.Total; missing > 0 {
		score.Notes = append(score.Notes, fmt.Sprintf("%d of %d samples are not in the log; the accuracy is that of the others", missing, s.labels))
	}
	return score, nil
}
