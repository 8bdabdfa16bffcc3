package ort

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// batchPadding pads the batches of a model with a fixed batch dimension. Its memory is reused.
type batchPadding struct {
	rows, batch int64 // of the current run; rows is 0 if the batch is full
	inputs      []backend.Tensor
}

// padInputs returns in, or a copy of it that is padded with zeros to batch rows. No tensor of in may have more rows.
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

// cutRows shortens a result to the requested rows.
func (p *batchPadding) cutRows(o *outputResult) {
	if p.rows == 0 || len(o.shape) == 0 || o.shape[0] != p.batch {
		return
	}
	o.data = o.data[:len(o.data)/int(p.batch)*int(p.rows)]
	o.shape[0] = p.rows
}
