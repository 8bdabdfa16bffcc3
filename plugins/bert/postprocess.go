package bert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is what a model gives that cannot be turned into answers.
var errOutput = errors.New("the model's output is not logits of the batch")

// absent is the logit of the positions that the model did not see, by which the scorer pads too.
const absent = -10000

// payload is the size of one in bytes: a start and an end logit, of float32, for each position.
const payload = length * 2 * 4

// Postprocess appends each feature's logits, in pairs: those of its tokens and, where all batches have one length,
// those of the padding, as in the reference. Absent ones stand for the rest: where batches are as long as their longest
// feature, a payload must not depend on the others.
func (w *workload) Postprocess(outputs []backend.Tensor, samples []*sample, p *sdk.Payloads) error {
	if len(outputs) == 1 && len(w.outputs) == 1 {
		return w.pairs(outputs[0], samples, p)
	}
	if len(outputs) != 2 {
		return fmt.Errorf("%w: %d outputs, want start and end logits", errOutput, len(outputs))
	}
	start, err := logits(outputs[0], len(samples))
	if err != nil {
		return fmt.Errorf("start logits: %w", err)
	}
	end, err := logits(outputs[1], len(samples))
	if err != nil {
		return fmt.Errorf("end logits: %w", err)
	}
	if len(start) != len(end) {
		return fmt.Errorf("%w: %d start and %d end logits", errOutput, len(start), len(end))
	}
	size := len(start) / len(samples)
	for i, s := range samples {
		n := s.len()
		if size < n {
			return fmt.Errorf("%w: %d positions for a feature of %d tokens", errOutput, size, n)
		}
		if w.fixed.Load() {
			n = size
		}
		row := i * size
		interleave(p.Extend(payload), start[row:row+n], end[row:row+n])
	}
	return nil
}

// pairs appends each feature's logits from one output that has them in pairs: as they are where there is one for each
// position of the log, else with absent ones behind them.
func (w *workload) pairs(t backend.Tensor, samples []*sample, p *sdk.Payloads) error {
	if len(t.Shape) != 3 || t.Shape[2] != 2 {
		return fmt.Errorf("%w: %q is %v%s, want float32[%d,S,2]", errOutput, t.Name, t.DType,
			backend.ShapeString(t.Shape), len(samples))
	}
	all, err := logits(t, len(samples))
	if err != nil {
		return fmt.Errorf("pairs of logits: %w", err)
	}
	size := int(t.Shape[1])
	for i, s := range samples {
		n := s.len()
		switch {
		case size < n:
			return fmt.Errorf("%w: %d positions for a feature of %d tokens", errOutput, size, n)
		case size >= length || w.fixed.Load():
			n = min(size, length)
		}
		to := p.Extend(payload)
		for rest := to[copy(to, backend.Bytes(all[2*size*i:][:2*n])):]; len(rest) > 0; rest = rest[4:] {
			binary.LittleEndian.PutUint32(rest, math.Float32bits(absent))
		}
	}
	return nil
}

// logits are the values of a tensor of n rows.
func logits(t backend.Tensor, n int) ([]float32, error) {
	if t.DType != backend.Float32 || len(t.Shape) < 2 || t.Shape[0] != int64(n) || len(t.Data) == 0 ||
		backend.Elements(t.Shape)*4 != int64(len(t.Data)) || len(t.Data)%(4*n) != 0 {
		return nil, fmt.Errorf("%w: %v%s of %d bytes, want float32[%d,S]", errOutput, t.DType,
			backend.ShapeString(t.Shape), len(t.Data), n)
	}
	return backend.View[float32](t.Data), nil
}

// interleave writes pairs of a start and an end logit, and absent ones behind them.
func interleave(to []byte, start, end []float32) {
	for i := range length {
		first, last := float32(absent), float32(absent)
		if i < len(start) {
			first, last = start[i], end[i]
		}
		binary.LittleEndian.PutUint32(to[8*i:], math.Float32bits(first))
		binary.LittleEndian.PutUint32(to[8*i+4:], math.Float32bits(last))
	}
}
