package sdk

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Batch holds the input tensors of one batch, in the order of Model.Inputs. It is reused from batch to batch by
// one goroutine at a time.
type Batch struct {
	infos   []backend.TensorInfo
	stage   backend.Stage // where the inputs are, if the session has memory for them
	buffers [][]byte      // else
	inputs  []backend.Tensor
}

// Payloads collects one payload per sample of a batch, in order.
type Payloads struct {
	data   []byte
	ends   []int
	tokens []uint32 // of each payload, or none
	first  func(i int)
}

// Append copies payload as the answer of the next sample.
func (p *Payloads) Append(payload []byte) {
	p.data = append(p.data, payload...)
	p.ends = append(p.ends, len(p.data))
}

// AppendTokens is Append for an answer of n tokens, n at least 0. Either all payloads of a batch have tokens or none.
func (p *Payloads) AppendTokens(payload []byte, n int) {
	p.Append(payload)
	p.tokens = append(p.tokens, uint32(n))
}

// FirstToken says that the first token of sample i of the batch has come, at the time of the call: once, before Run
// returns.
func (p *Payloads) FirstToken(i int) {
	if p.first != nil {
		p.first(i)
	}
}

// OnFirstToken has f called by FirstToken, for whoever runs the batch; nil: nobody.
func (p *Payloads) OnFirstToken(f func(i int)) { p.first = f }

// Extend adds an answer of n bytes for the next sample and returns its memory, whose contents are undefined. It is
// valid until the next call of Append, Extend or Reset: large payloads are written to where they are sent from.
func (p *Payloads) Extend(n int) []byte {
	p.data = slices.Grow(p.data, n)
	end := len(p.data) + n
	p.data = p.data[:end]
	p.ends = append(p.ends, end)
	return p.data[end-n : end : end]
}

// Len is how many payloads there are.
func (p *Payloads) Len() int { return len(p.ends) }

// At returns payload i. It is valid until Reset.
func (p *Payloads) At(i int) []byte {
	start := 0
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.data[start:p.ends[i]:p.ends[i]]
}

// All returns the payloads one after the other, where each ends, and how many tokens each has, nil where they have
// none. They are valid until Reset.
func (p *Payloads) All() (data []byte, ends []int, tokens []uint32) { return p.data, p.ends, p.tokens }

// Reset empties p and keeps its memory.
func (p *Payloads) Reset() { p.data, p.ends, p.tokens = p.data[:0], p.ends[:0], p.tokens[:0] }

// NewBatch returns a batch for a model with these inputs.
func NewBatch(inputs []backend.TensorInfo) *Batch {
	b := &Batch{infos: inputs, buffers: make([][]byte, len(inputs)), inputs: make([]backend.Tensor, len(inputs))}
	for i, in := range inputs {
		b.inputs[i] = backend.Tensor{Name: in.Name, DType: in.DType}
	}
	return b
}

// StagedBatch is NewBatch with the inputs in memory of the session's own; stage may be nil.
func StagedBatch(inputs []backend.TensorInfo, stage backend.Stage) *Batch {
	b := NewBatch(inputs)
	b.stage = stage
	return b
}

// Info is what the opened model's input i is: its own dtype, and its shape with -1 for free dimensions.
func (b *Batch) Info(i int) backend.TensorInfo { return b.infos[i] }

// Input gives input i the shape and returns its memory, whose contents are undefined. The memory is reused: it is valid
// until the batch has run.
func (b *Batch) Input(i int, shape ...int64) []byte {
	b.setInput(i, b.inputMemory(i, int(backend.Elements(shape))*b.infos[i].DType.Size()), shape)
	return b.inputs[i].Data
}

// inputMemory is n bytes for input i.
func (b *Batch) inputMemory(i, n int) []byte {
	if b.stage != nil {
		return b.stage.Input(i, n)
	}
	if cap(b.buffers[i]) < n {
		b.buffers[i] = make([]byte, n)
	}
	return b.buffers[i][:n]
}

// Share gives input i the shape and lets it refer to data instead of a copy (a batch of one sample, say).
// data must stay unchanged until the batch has run.
func (b *Batch) Share(i int, data []byte, shape ...int64) { b.setInput(i, data, shape) }

func (b *Batch) setInput(i int, data []byte, shape []int64) {
	t := &b.inputs[i]
	t.Data = data
	t.Shape = append(t.Shape[:0], shape...)
}

// Tensors are the inputs as collated, in the order of Model.Inputs.
func (b *Batch) Tensors() []backend.Tensor { return b.inputs }
