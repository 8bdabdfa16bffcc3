package bert

import (
	"math"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// readScoring reads the parameters of the official scorer.
func readScoring(p *option.Params) accuracy.Options {
	return accuracy.Options{
		Length: length, DType: option.Parse(p, "dtype", accuracy.DTypes().Parse), Transposed: p.Bool("transposed"),
		MaxExamples: p.Int("max_examples", 0, math.MaxInt32),
	}
}

// scorer computes exact match and F1. Of several entries of one feature the last counts.
type scorer struct {
	squad   *accuracy.Scorer
	set     *questionSet
	options accuracy.Options
	// mostExhibits is how many questions to show.
	mostExhibits int
}

func newScorer(set *questionSet, o accuracy.Options, exhibits int) *scorer {
	return &scorer{accuracy.New(set.examples, o), set, o, exhibits}
}

func (s *scorer) Add(e mllog.AccuracyEntry) error {
	return sdk.Data(s.squad.Add(e.QSLIndex, e.Data))
}

func (s *scorer) Result() (sdk.Score, error) {
	r, err := s.squad.Result()
	if err != nil {
		return sdk.Score{}, sdk.Data(err)
	}
	return sdk.Score{
		Metrics: []sdk.Metric{
			{Name: "F1", Unit: "%", Value: r.F1}, {Name: "exact_match", Unit: "%", Value: r.ExactMatch},
		},
		Samples:      len(s.set.features) - r.Missing,
		OfficialText: r.String(),
		Notes:        s.notes(r),
		Exhibits:     s.exhibits(r),
	}, nil
}

func (s *scorer) notes(r accuracy.Result) (n sdk.Notes) {
	n.Count(r.Duplicates, "%d entries dropped: a later one of the same feature replaced them")
	n.Count(r.Missing, "%d of %d features are not in the log; their windows were not searched for answers",
		len(s.set.features))
	if s.options.MaxExamples > 0 && s.options.MaxExamples <= len(s.set.examples) {
		n.Add("max_examples = %d: as in the official script, the last of these questions is counted and not scored",
			s.options.MaxExamples)
	}
	for _, remark := range s.set.remarks {
		n.Add("data set: %s", remark)
	}
	return n
}
