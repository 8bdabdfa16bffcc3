package sdk

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Batch holds the input tensors of one batch, in the order of Model.Inputs. One goroutine at a time may use it. It is
// reused for later batches.
type Batch struct {
	infos   []backend.TensorInfo
	stage   backend.Stage // the memory of the inputs, if the session has such memory
	buffers [][]byte      // otherwise the memory of the inputs
	inputs  []backend.Tensor
}

// Payloads collects one payload per sample of a batch, in order.
type Payloads struct {
	data   []byte
	ends   []int
	tokens []uint32 // token count of each payload, or nil
	first  func(i int)
}

// Append copies payload as the answer of the next sample.
func (p *Payloads) Append(payload []byte) {
	p.data = append(p.data, payload...)
	p.ends = append(p.ends, len(p.data))
}

// AppendTokens appends the payload of an answer with n tokens. n must not be negative. Either all payloads of a batch
// have token counts or none.
func (p *Payloads) AppendTokens(payload []byte, n int) {
	p.Append(payload)
	p.tokens = append(p.tokens, uint32(n))
}

// FirstToken reports that the first token of the batch's sample i has arrived now. Call it once per sample, before Run
// returns.
func (p *Payloads) FirstToken(i int) {
	if p.first != nil {
		p.first(i)
	}
}

// OnFirstToken sets the function that FirstToken calls; nil sets none. The code that runs the batch uses it.
func (p *Payloads) OnFirstToken(f func(i int)) { p.first = f }

// Extend adds an answer of n bytes for the next sample and returns its memory, whose contents are undefined. The memory
// is valid until the next call of Append, Extend or Reset. Use it to write large payloads without a copy.
func (p *Payloads) Extend(n int) []byte {
	p.data = slices.Grow(p.data, n)
	end := len(p.data) + n
	p.data = p.data[:end]
	p.ends = append(p.ends, end)
	return p.data[end-n : end : end]
}

// Len returns the number of payloads.
func (p *Payloads) Len() int { return len(p.ends) }

// At returns payload i. It is valid until Reset.
func (p *Payloads) At(i int) []byte {
	start := 0
	if i > 0 {
		start = p.ends[i-1]
	}
	return p.data[start:p.ends[i]:p.ends[i]]
}

// All returns the concatenated payloads, the end offset of each, and the token count of each (nil without counts). The
// slices are valid until Reset.
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

// StagedBatch is like NewBatch but places the inputs in the session's own memory; stage may be nil.
func StagedBatch(inputs []backend.TensorInfo, stage backend.Stage) *Batch {
	b := NewBatch(inputs)
	b.stage = stage
	return b
}

// Info describes input i of the opened model: its dtype, and its shape with -1 for free dimensions.
func (b *Batch) Info(i int) backend.TensorInfo { return b.infos[i] }

// Input sets the shape of input i and returns its memory, whose contents are undefined. The memory is reused: it is
// valid until the batch has run.
func (b *Batch) Input(i int, shape ...int64) []byte {
	b.setInput(i, b.inputMemory(i, int(backend.Elements(shape))*b.infos[i].DType.Size()), shape)
	return b.inputs[i].Data
}

// inputMemory returns n bytes for input i.
func (b *Batch) inputMemory(i, n int) []byte {
	if b.stage != nil {
		return b.stage.Input(i, n)
	}
	if cap(b.buffers[i]) < n {
		b.buffers[i] = make([]byte, n)
	}
	return b.buffers[i][:n]
}

// Share sets the shape of input i and lets it refer to data instead of a copy (for example for a batch of one sample).
// data must stay unchanged until the batch has run.
func (b *Batch) Share(i int, data []byte, shape ...int64) { b.setInput(i, data, shape) }

func (b *Batch) setInput(i int, data []byte, shape []int64) {
	t := &b.inputs[i]
	t.Data = data
	t.Shape = append(t.Shape[:0], shape...)
}

// Tensors returns the collated inputs in the order of Model.Inputs.
func (b *Batch) Tensors() []backend.Tensor { return b.inputs }
