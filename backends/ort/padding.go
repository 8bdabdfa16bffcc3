package ort

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// batchPadding fills up the batches of a model whose batch dimension is fixed. Its memory is kept from run to run.
type batchPadding struct {
	rows, batch int64 // of the run under way; rows is 0 where nothing is missing
	inputs      []backend.Tensor
}

// padInputs returns in, or a copy of it with as many rows as batch, zeros at the end. Each tensor of in has at most so
// many.
func (p *batchPadding) padInputs(in []backend.Tensor, batch int64) []backend.Tensor {
	p.rows, p.batch = 0, batch
	if batch == 0 || !slices.ContainsFunc(in, func(t backend.Tensor) bool { return t.Shape[0] < batch }) {
		return in
	}
	p.rows = in[0].Shape[0]
	p.inputs = slices.Grow(p.inputs[:0], len(in))[:len(in)]
	for i, t := range in {
		full := &p.inputs[i]
		n := len(t.Data) / int(t.Shape[0]) * int(batch)
		full.DType = t.DType
		full.Shape = append(full.Shape[:0], t.Shape...)
		full.Shape[0] = batch
		full.Data = slices.Grow(full.Data[:0], n)[:n]
		clear(full.Data[copy(full.Data, t.Data):])
	}
	return p.inputs
}

// cutRows shortens a result to the rows that were asked for.
func (p *batchPadding) cutRows(o *outputResult) {
	if p.rows == 0 || len(o.shape) == 0 || o.shape[0] != p.batch {
		return
	}
	o.data = o.data[:len(o.data)/int(p.batch)*int(p.rows)]
	o.shape[0] = p.rows
}
