package pair

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// openScorer opens the scorer of the share of answers that are what the judge says.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	sampleCount(r)
	if r.OpenPart == nil {
		r.AddFault(errors.New("the scorer runs a model, and nobody opens it: score in a plugin"))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	m := r.Files[Judge]
	m.Inputs, m.Outputs = rowTensor("x", width), rowTensor("y", 1)
	judge, err := r.OpenPart(ctx, sdk.Part{Name: Judge, Model: m})
	if err != nil {
		return nil, err
	}
	return &judgeScorer{ctx: ctx, judge: judge, answers: map[int]float32{}}, nil
}

// judgeScorer holds the first answer to each sample against the judge's.
type judgeScorer struct {
	ctx     context.Context // of the scoring
	judge   backend.Session
	answers map[int]float32
}

func (s *judgeScorer) Add(e mllog.AccuracyEntry) error {
	if len(e.Data) != 4 || e.QSLIndex >= datasetSize {
		return fmt.Errorf("a payload of %d bytes for sample %d, want 4 bytes and a sample below %d",
			len(e.Data), e.QSLIndex, datasetSize)
	}
	if _, known := s.answers[int(e.QSLIndex)]; !known {
		s.answers[int(e.QSLIndex)] = backend.View[float32](e.Data)[0]
	}
	return nil
}

func (s *judgeScorer) Result() (sdk.Score, error) {
	right := 0
	for i, answer := range s.answers {
		x := Input(i)
		out := make([]backend.Tensor, 1)
		if err := s.judge.Run(s.ctx, []backend.Tensor{floatTensor(x[:], 1)}, out); err != nil {
			return sdk.Score{}, fmt.Errorf("judge sample %d: %w", i, err)
		}
		if backend.View[float32](out[0].Data)[0] == answer {
			right++
		}
		out[0].Release()
	}
	accuracy := 100 * float64(right) / float64(max(1, len(s.answers)))
	return sdk.Score{
		Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: accuracy}}, Samples: len(s.answers),
		OfficialText: fmt.Sprintf("accuracy=%.3f%%\n", accuracy),
	}, nil
}
