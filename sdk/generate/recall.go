package generate

import (
	"context"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// recallingSession makes a decoder without a past look like one with a state. The state is the tokens so far, and each
// run processes all of them again. Its outputs are the logits of the last token, and the tokens.
type recallingSession struct {
	backend.Session
	in, out        []backend.TensorInfo
	tokens, logits int // indices among the inputs and the outputs of the session
	calls          sync.Pool
}

// recalledInput and recalledOutput are the names of the state's input and output. Their rows are not the first
// dimension, which is 1, so sessions do not keep them.
const recalledInput, recalledOutput = "recalled_tokens", "recalled_tokens_out"

// recallPast gives p's decoder a state if its only inputs are tokens and values of the encoder. It ignores other
// outputs of the decoder.
func recallPast(p EncoderDecoder) EncoderDecoder {
	d := &recallingSession{Session: p.Decoder, in: slices.Clone(p.Decoder.Inputs()), tokens: -1, logits: -1}
	for i, info := range d.in {
		switch {
		case decoderUses[info.Name] == tokens && len(info.Shape) == 2 && info.Shape[1] < 0:
			d.tokens = i
		case decoderUses[info.Name] != unused || !ofEncoder(p.Encoder, info.Name):
			return p
		}
	}
	d.logits = slices.IndexFunc(p.Decoder.Outputs(), func(o backend.TensorInfo) bool { return o.Name == "logits" })
	if p.Step != nil || d.tokens < 0 || d.logits < 0 {
		return p
	}
	ids := backend.TensorInfo{Name: recalledInput, DType: backend.Int64, Shape: []int64{1, -1, -1}}
	d.in = append(d.in, ids)
	ids.Name = recalledOutput
	d.out = []backend.TensorInfo{p.Decoder.Outputs()[d.logits], ids}
	p.Decoder = d
	return p
}

// ofEncoder reports whether a decoder's input is an output or input of the encoder.
func ofEncoder(encoder backend.Session, name string) bool {
	is := func(info backend.TensorInfo) bool { return info.Name == name }
	return constantNames[name] != "" || slices.ContainsFunc(encoder.Outputs(), is) ||
		slices.ContainsFunc(encoder.Inputs(), is)
}

func (d *recallingSession) Inputs() []backend.TensorInfo  { return d.in }
func (d *recallingSession) Outputs() []backend.TensorInfo { return d.out }

// CacheMemory returns the memory of the decoder.
func (d *recallingSession) CacheMemory() any { return backend.CacheMemory(d.Session) }

// Describe adds the cost of a step to the description.
func (d *recallingSession) Describe() backend.Info {
	info := describeSession(d.Session)
	info.Details["past"] = "the decoder takes none: all tokens of an answer run again at each step"
	return info
}

// recallingCall is the memory of one run.
type recallingCall struct {
	ids     []int64
	in, out []backend.Tensor
}

func (d *recallingSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	c, ok := d.calls.Get().(*recallingCall)
	if !ok {
		c = &recallingCall{out: make([]backend.Tensor, len(d.Session.Outputs()))}
	}
	defer d.calls.Put(c)
	before := in[len(in)-1]
	all := c.joinTokens(&before, &in[d.tokens])
	c.in = append(c.in[:0], in[:len(in)-1]...)
	c.in[d.tokens].Data, c.in[d.tokens].Shape = backend.Bytes(c.ids), all[1:]
	if err := d.Session.Run(ctx, c.in, c.out); err != nil {
		return err
	}
	logits := &c.out[d.logits]
	out[0] = lastTokenLogits(logits)
	out[1] = backend.Tensor{
		Name: recalledOutput, DType: backend.Int64, Shape: all, Data: slices.Clone(backend.Bytes(c.ids)),
	}
	for i := range c.out {
		c.out[i].Release()
		c.out[i] = backend.Tensor{}
	}
	return nil
}

// joinTokens appends new tokens to the previous ones, row by row, and returns the resulting shape.
func (c *recallingCall) joinTokens(before, tokens *backend.Tensor) []int64 {
	old, added := backend.View[int64](before.Data), backend.View[int64](tokens.Data)
	rows, past, n := before.Shape[1], before.Shape[2], tokens.Shape[1]
	c.ids = c.ids[:0]
	for row := range rows {
		c.ids = append(append(c.ids, old[row*past:][:past]...), added[row*n:][:n]...)
	}
	return []int64{1, rows, past + n}
}

// lastTokenLogits copies the logits of each row's last token. It returns logits of another shape unchanged, and the
// caller refuses them.
func lastTokenLogits(logits *backend.Tensor) backend.Tensor {
	shape, all := logits.Shape, backend.View[float32](logits.Data)
	if len(shape) != 3 || shape[1] < 1 || backend.Elements(shape) != int64(len(all)) {
		return backend.Tensor{Name: logits.Name, DType: logits.DType, Shape: shape, Data: slices.Clone(logits.Data)}
	}
	last := make([]float32, 0, shape[0]*shape[2])
	for row := range shape[0] {
		last = append(last, all[((row+1)*shape[1]-1)*shape[2]:][:shape[2]]...)
	}
	return backend.Tensor{
		Name: logits.Name, DType: logits.DType, Shape: []int64{shape[0], 1, shape[2]}, Data: backend.Bytes(last),
	}
}
