package generate

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// runEncoder begins the state and runs the encoder on the sources of a batch. It stores the outputs that a decoder
// reads in the state.
func (r *coderRunner) runEncoder(ctx context.Context, s *coderState, batch []*sequence) error {
	sources := make([]int, len(batch))
	for i, q := range batch {
		sources[i] = q.size.source
	}
	s.begin(sources)
	g := r.model.encoder
	in, out := r.tensors[g][0], r.tensors[g][1]
	width := slices.Max(sources)
	for i, p := range g.in {
		if err := r.encoderInput(&in[i], &g.session.Inputs()[i], p.use, batch, width); err != nil {
			return err
		}
		if p.slot >= 0 {
			copy(s.setZeros(p.slot, width).Data, in[i].Data)
		}
	}
	r.model.tracker.markKept(g, out)
	if err := g.session.Run(ctx, in, out); err != nil {
		return fmt.Errorf("encoder: run %d sources, %d wide: %w", len(batch), width, err)
	}
	return r.storeOutputs(g, s, out)
}

// encoderInput fills in an input of the encoder. It pads sources on the right.
func (r *coderRunner) encoderInput(t *backend.Tensor, info *backend.TensorInfo, u tensorUse,
	batch []*sequence, width int) error {
	rows := len(batch)
	switch u {
	case sourceTokens:
		r.source = repeatValue(r.source, rows*width, int64(batch[0].prompt.PadToken))
		for i, q := range batch {
			for j, id := range q.prompt.Tokens {
				r.source[i*width+j] = int64(id)
			}
		}
		setIntegers(t, info, r.source, rows, width)
	case sourceMask:
		r.sourceMask = repeatValue(r.sourceMask, rows*width, 0)
		for i, q := range batch {
			for j := range q.prompt.Tokens {
				r.sourceMask[i*width+j] = 1
			}
		}
		setIntegers(t, info, r.sourceMask, rows, width)
	case sourceLength:
		r.sourceLength = resizeSlice(r.sourceLength, rows)
		for i, q := range batch {
			r.sourceLength[i] = int64(len(q.prompt.Tokens))
		}
		setIntegers(t, info, r.sourceLength, rows)
	case features:
		return r.placeFeatures(t, info, batch)
	}
	return nil
}

// placeFeatures combines the features of a batch in one tensor.
func (r *coderRunner) placeFeatures(t *backend.Tensor, info *backend.TensorInfo, batch []*sequence) error {
	first := batch[0].features
	r.features = r.features[:0]
	for _, q := range batch {
		if !slices.Equal(q.features.Shape, first.Shape) {
			return fmt.Errorf("features of shape %s beside some of %s: want the same for all audio",
				backend.ShapeString(q.features.Shape), backend.ShapeString(first.Shape))
		}
		r.features = append(r.features, q.features.Data...)
	}
	setTensor(t, info, r.features, len(batch))
	t.Shape = append(t.Shape, first.Shape...)
	return nil
}
