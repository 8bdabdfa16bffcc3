package pair

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// openScorer opens the scorer. It computes the share of answers that equal the judge's.
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
	points := func(i int, answer []byte) (float64, error) {
		if len(answer) != 4 {
			return 0, fmt.Errorf("a payload of %d bytes, want 4", len(answer))
		}
		x, out := Input(i), make([]backend.Tensor, 1)
		if err := judge.Run(ctx, []backend.Tensor{floatTensor(x[:], 1)}, out); err != nil {
			return 0, fmt.Errorf("judge: %w", err)
		}
		defer out[0].Release()
		if backend.View[float32](out[0].Data)[0] != backend.View[float32](answer)[0] {
			return 0, nil
		}
		return 1, nil
	}
	return scoring.New(scoring.Each(datasetSize, points), scoring.Log{Samples: datasetSize}, scoreShare), nil
}

func scoreShare(m scoring.Mean, _ scoring.Counts) (sdk.Score, error) {
	return sdk.Score{
		Metrics:      []sdk.Metric{{Name: "accuracy", Unit: "%", Value: m.Percent()}},
		OfficialText: fmt.Sprintf("accuracy=%.3f%%\n", m.Percent()),
	}, nil
}
