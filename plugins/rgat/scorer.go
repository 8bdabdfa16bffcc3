package rgat

import (
	"fmt"

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

func (s *scorer) notes(r accuracy.Result) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if r.Duplicates > 0 {
		note("%d entries dropped: their samples had been answered before", r.Duplicates)
	}
	if missing := s.samples - r.Total; missing > 0 {
		note("%d of %d samples are not in the log; the accuracy is that of the others", missing, s.samples)
	}
	if r.Bytes > 0 {
		note("%d payloads were read as uint8: a class beyond 255 cannot be right", r.Bytes)
	}
	if r.Unread > 0 {
		note("%d payloads hold no class and count as wrong; the official script stops there: %v", r.Unread, r.Told)
	}
	return notes
}
