package whisper

import (
	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// scorer computes the word error rate. As in the official script every entry counts, also of a sample that has several.
type scorer struct {
	words   *wer.Scorer
	seen    []bool
	missing int
	entries int
}

func newScorer(all clips, d payload.DType) (*scorer, error) {
	references := lists.Make(all.Len(), all.Transcript)
	words, err := wer.NewWhisper(references, wer.Options{DType: d})
	if err != nil {
		return nil, sdk.Usage(err)
	}
	return &scorer{words: words, seen: make([]bool, len(references)), missing: len(references)}, nil
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	if err := s.words.Add(e.QSLIndex, e.Data); err != nil {
		return sdk.Data(err)
	}
	s.entries++
	if !s.seen[e.QSLIndex] {
		s.seen[e.QSLIndex] = true
		s.missing--
	}
	return nil
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.words.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	score := sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "accuracy", Unit: "%", Value: r.Accuracy()}, {Name: "WER", Unit: "%", Value: 100 * r.Rate()},
		},
		Samples: len(s.seen) - s.missing, OfficialText: r.String(),
	}
	var n sdk.Notes
	n.Count(s.entries-score.Samples,
		"%d entries are of samples that have another one: as in the official script, all count")
	n.Missing(s.missing, len(s.seen), "clips", "the metrics are those")
	score.Notes = n
	return score, nil
}
