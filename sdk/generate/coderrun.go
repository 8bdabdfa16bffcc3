package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// coderRunner runs an encoder and a decoder, in memory that it reuses.
type coderRunner struct {
	model   *coderModel
	tensors map[*modelGraph]*[2][]backend.Tensor // inputs and outputs

	ids, counts, ones []int64
	offset            [1]int64
	cached            [1]byte
	source            []int64
	sourceMask        []int64
	sourceLength      []int64
	features          []byte
	logits            backend.Tensor
	scores            [][]float32
}

func (c *coderModel) newRunner() modelRunner {
	r := &coderRunner{model: c, tensors: map[*modelGraph]*[2][]backend.Tensor{}}
	for _, g := range []*modelGraph{c.encoder, c.first, c.next} {
		r.tensors[g] = &[2][]backend.Tensor{make([]backend.Tensor, len(g.in)), make([]backend.Tensor, len(g.out))}
	}
	return r
}

// step runs the last token of each row.
func (r *coderRunner) step(ctx context.Context, m rowMemory, last []int32) ([][]float32, error) {
	r.ids = r.ids[:0]
	for _, id := range last {
		r.ids = append(r.ids, int64(id))
	}
	return r.runDecoder(ctx, r.model.next, m.(*coderState), 1)
}

// prompts encodes the sources of a batch and runs the first tokens.
func (r *coderRunner) prompts(ctx context.Context, m rowMemory, batch []*sequence) ([][]float32, error) {
	s := m.(*coderState)
	if err := r.runEncoder(ctx, s, batch); err != nil {
		return nil, err
	}
	start := r.model.options.Start
	n := r.maxTokens(len(start))
	var scores [][]float32
	for at := 0; at < len(start); at += n {
		r.ids = r.ids[:0]
		for range batch {
			for _, id := range start[at : at+n] {
				r.ids = append(r.ids, int64(id))
			}
		}
		var err error
		if scores, err = r.runDecoder(ctx, r.model.first, s, n); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

// maxTokens returns how many of n tokens the decoder can process in one run.
func (r *coderRunner) maxTokens(n int) int {
	for i, info := range r.model.first.session.Inputs() {
		if r.model.first.in[i].use == tokens && len(info.Shape) == 2 && info.Shape[1] < 0 {
			return n
		}
	}
	return 1
}

// runDecoder runs n tokens of each row, which are in r.ids, and keeps the states.
func (r *coderRunner) runDecoder(ctx context.Context, g *modelGraph, s *coderState, n int) ([][]float32, error) {
	in, out := r.tensors[g][0], r.tensors[g][1]
	for i, p := range g.in {
		r.decoderInput(&in[i], g, i, p, s, n)
	}
	r.model.tracker.markKept(g, out)
	r.logits.Release()
	if err := g.session.Run(ctx, in, out); err != nil {
		return nil, fmt.Errorf("%s: run %d tokens of %d sequences behind %d: %w", g.name, n, s.rows(), s.length, err)
	}
	if g == r.model.next && s.length > 0 {
		r.model.tracker.countCopied(g, in, out)
	}
	err := r.storeOutputs(g, s, out)
	s.length += n
	if err != nil {
		return nil, err
	}
	return r.splitLogits(s.rows(), n)
}

// decoderInput fills in input i for a run of n tokens of each row.
func (r *coderRunner) decoderInput(t *backend.Tensor, g *modelGraph, i int, p graphPort, s *coderState, n int) {
	info, rows := &g.session.Inputs()[i], s.rows()
	switch p.use {
	case stored:
		*t = s.valueTensor(p.slot)
		t.Name = info.Name
	case tokens:
		if len(info.Shape) == 1 {
			setIntegers(t, info, r.ids, rows)
		} else {
			setIntegers(t, info, r.ids, rows, n)
		}
	case positions:
		setIntegers(t, info, r.tokenPositions(rows, n, s.length), rows, n)
	case positionsOnce:
		setIntegers(t, info, r.tokenPositions(1, n, s.length), n)
	case mask:
		r.ones = repeatValue(r.ones, rows*(s.length+n), 1)
		setIntegers(t, info, r.ones, rows, s.length+n)
	case offset:
		r.offset[0] = int64(s.length)
		setIntegers(t, info, r.offset[:], slices.Repeat([]int{1}, len(info.Shape))...)
	case cached:
		r.cached[0] = 0
		if s.length > 0 {
			r.cached[0] = 1
		}
		setTensor(t, info, r.cached[:], 1)
	}
}

// tokenPositions returns the positions of n tokens of each row, beginning with first.
func (r *coderRunner) tokenPositions(rows, n, first int) []int64 {
	r.counts = resizeSlice(r.counts, rows*n)
	for i := range r.counts {
		r.counts[i] = int64(first + i%n)
	}
	return r.counts
}

// repeatValue returns n times v. It reuses the memory of old if possible.
func repeatValue(old []int64, n int, v int64) []int64 {
	old = resizeSlice(old, n)
	for i := range old {
		old[i] = v
	}
	return old
}

func setIntegers(t *backend.Tensor, info *backend.TensorInfo, values []int64, shape ...int) {
	setTensor(t, info, backend.Bytes(values), shape...)
}

// setTensor sets t to an input tensor.
func setTensor(t *backend.Tensor, info *backend.TensorInfo, data []byte, shape ...int) {
	*t = backend.Tensor{Name: info.Name, DType: info.DType, Data: data, Shape: t.Shape[:0]}
	for _, d := range shape {
		t.Shape = append(t.Shape, int64(d))
	}
}

// storeOutputs stores the outputs of a run of a decoder or the encoder: states, and constants in the first run, become
// values. The logits are kept until the next run.
func (r *coderRunner) storeOutputs(g *modelGraph, s *coderState, out []backend.Tensor) (err error) {
	for i, p := range g.out {
		t := out[i]
		out[i] = backend.Tensor{}
		switch {
		case p.use == logits:
			r.logits = t
			continue
		case p.use == unused || s.slots[p.slot].constant && s.length > 0:
			t.Release()
			continue
		}
		if fault := s.slots[p.slot].checkTensor(&t, s.rows()); fault != nil {
			t.Release()
			err = errors.Join(err, fmt.Errorf("%w: %s: output %w", ErrEncoderDecoder, g.name, fault))
			continue
		}
		s.setValue(p.slot, t)
	}
	return err
}

// splitLogits returns the logits of each row's last token of n.
func (r *coderRunner) splitLogits(rows, n int) ([][]float32, error) {
	shape := r.logits.Shape
	if len(shape) == 2 {
		shape = []int64{shape[0], 1, shape[1]}
	}
	if len(shape) != 3 || shape[0] != int64(rows) || shape[1] != 1 && shape[1] != int64(n) || shape[2] <= 0 {
		return nil, fmt.Errorf("%w: logits of shape %s for %d tokens of %d sequences", ErrEncoderDecoder,
			backend.ShapeString(r.logits.Shape), n, rows)
	}
	all, kept, vocab := backend.View[float32](r.logits.Data), int(shape[1]), int(shape[2])
	if len(all) != rows*kept*vocab {
		return nil, fmt.Errorf("%w: %d logits for shape %s", ErrEncoderDecoder, len(all), backend.ShapeString(shape))
	}
	r.scores = r.scores[:0]
	for row := range rows {
		r.scores = append(r.scores, all[(row*kept+kept-1)*vocab:][:vocab])
	}
	return r.scores, nil
}
