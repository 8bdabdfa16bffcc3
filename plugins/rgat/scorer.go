package rgat

import (
	accuracy "github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes the accuracy. Of several entries of one sample the first counts.
type scorer struct {
	accuracy *accuracy.Scorer
	samples  int
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(s.accuracy.Add(e.QSLIndex, e.Data))
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.accuracy.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	return sdk.Score{
		Metrics:      []sdk.Metric{{Name: "accuracy", Unit: "%", Value: r.Accuracy}},
		Samples:      r.Total,
		OfficialText: r.String(),
		Notes:        s.notes(r),
	}, nil
}

func (s *scorer) notes(r accuracy.Result) (n sdk.Notes) {
	n.Dropped(r.Duplicates)
	n.Missing(s.samples-r.Total, s.samples, "samples", "the accuracy is that")
	n.Count(r.Bytes, "%d payloads were read as uint8: a class beyond 255 cannot be right")
	n.Count(r.Unread, "%d payloads hold no class and count as wrong; the official script stops there: %v", r.Told)
	return n
}
