package rnnt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes the word error rate. Every entry of a log counts.
type scorer struct {
	wer  *wer.Scorer
	seen []bool
}

func newScorer(set clips, dtype payload.DType) (*scorer, error) {
	references := make([]string, set.Len())
	for i := range references {
		text, err := wer.Clean(set.Transcript(i))
		if err != nil {
			return nil, sdk.Data(fmt.Errorf("clip %d (%s): %w", i, set.Name(i), err))
		}
		references[i] = text
	}
	s, err := wer.NewRNNT(references, wer.Options{DType: dtype})
	if err != nil {
		return nil, sdk.Usage(err)
	}
	return &scorer{s, make([]bool, len(references))}, nil
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	err := s.wer.Add(e.QSLIndex, e.Data)
	if err == nil {
		s.seen[e.QSLIndex] = true
	}
	return sdk.Data(err)
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.wer.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	distinct := 0
	for _, seen := range s.seen {
		if seen {
			distinct++
		}
	}
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "accuracy", Unit: "%", Value: r.Accuracy()}, {Name: "WER", Unit: "%", Value: 100 * r.Rate()},
		},
		Samples: distinct, OfficialText: r.String(), Notes: s.notes(r, distinct),
	}, nil
}

func (s *scorer) notes(r wer.Result, distinct int) (n sdk.Notes) {
	n.Missing(len(s.seen)-distinct, len(s.seen), "clips", "the rate is that")
	n.Count(r.Entries-distinct, "%d entries are of clips that the log has already; as in the official script, each counts")
	return n
}
