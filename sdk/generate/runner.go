package generate

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// tokenRunner runs a decoder. It builds the session's tensors from tokens and a cache, in memory that it reuses.
type tokenRunner struct {
	model   *decoderModel
	session backend.Session
	in, out []backend.Tensor

	ids, mask, positions []int64
	starts, ends         []int64  // positions of each row's new tokens
	one                  [1]int64 // number of logits to keep
	logits               []float32
	scores               [][]float32
}

func newRunner(m *decoderModel, s backend.Session) *tokenRunner {
	r := &tokenRunner{
		model: m, session: s, one: [1]int64{1},
		in: make([]backend.Tensor, len(s.Inputs())), out: make([]backend.Tensor, len(s.Outputs())),
	}
	for i, info := range s.Inputs() {
		r.in[i] = backend.Tensor{Name: info.Name, DType: info.DType}
	}
	return r
}

// step runs the last token of each row and adds it to the cache. The logits of each row are valid until the next run.
func (r *tokenRunner) step(ctx context.Context, m rowMemory, tokens []int32) ([][]float32, error) {
	c := m.(*kvCache)
	rows := c.rows()
	r.resizeInputs(rows, 1, c.width+1)
	for i, n := range c.lengths {
		r.ids[i], r.positions[i] = int64(tokens[i]), int64(n)
		r.starts[i], r.ends[i] = int64(n), int64(n+1)
		r.unmaskRow(i, c.width+1, n+1)
	}
	if err := r.runModel(ctx, c, 1); err != nil {
		return nil, err
	}
	c.finishStep()
	return r.lastLogits(1), nil
}

// prompts runs whole prompts. Afterwards the cache consists of these. It pads shorter prompts on the left, or on the
// right for an in-place cache.
func (r *tokenRunner) prompts(ctx context.Context, m rowMemory, batch []*sequence) ([][]float32, error) {
	c, width := m.(*kvCache), 0
	lengths := make([]int, len(batch))
	for i, s := range batch {
		lengths[i] = len(s.prompt.Tokens)
		width = max(width, lengths[i])
	}
	c.begin(len(batch), width)
	r.resizeInputs(len(batch), width, width)
	for i, s := range batch {
		r.fillRow(i, width, s.prompt.Tokens, batch[0].prompt.PadToken)
	}
	if err := r.runModel(ctx, c, width); err != nil {
		return nil, err
	}
	c.finishPrompts(width, lengths)
	return r.lastLogits(width), nil
}

// resizeInputs makes room for rows of n tokens and for their masks.
func (r *tokenRunner) resizeInputs(rows, n, width int) {
	r.ids = resizeSlice(r.ids, rows*n)
	r.positions = resizeSlice(r.positions, rows*n)
	r.mask = resizeSlice(r.mask, rows*width)
	r.starts = resizeSlice(r.starts, rows)
	r.ends = resizeSlice(r.ends, rows)
}

func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// fillRow writes a prompt to a row of width tokens. Positions count from its first token.
func (r *tokenRunner) fillRow(row, width int, prompt []int32, pad int32) {
	ids, positions := r.ids[row*width:(row+1)*width], r.positions[row*width:(row+1)*width]
	for i := range ids {
		ids[i], positions[i] = int64(pad), 0
	}
	start := 0
	if !r.model.inPlace() {
		start = width - len(prompt)
	}
	for i, id := range prompt {
		ids[start+i], positions[start+i] = int64(id), int64(i)
	}
	r.starts[row], r.ends[row] = 0, int64(len(prompt))
	r.unmaskRow(row, width, len(prompt))
}

// unmaskRow unmasks the last n columns of a row.
func (r *tokenRunner) unmaskRow(row, width, n int) {
	if r.model.mask < 0 {
		return
	}
	m := r.mask[row*width : (row+1)*width]
	clear(m[:width-n])
	for i := width - n; i < width; i++ {
		m[i] = 1
	}
}

// runModel executes the model on n tokens of each row after the cache, and writes the next cache.
func (r *tokenRunner) runModel(ctx context.Context, c *kvCache, n int) error {
	m, rows := r.model, c.rows()
	r.setTokens(rows, n, c.width+n)
	for slot, i := range m.pasts {
		r.setInput(i, c.pastTensors()[slot][:c.bytesUsed(rows, c.width)], rows, m.heads, c.width, m.dim)
	}
	present, width := c.presentTensors(n)
	for slot, data := range present {
		r.setOutput(m.presents[slot], m.past, data, rows, m.heads, width, m.dim)
	}
	if err := r.placeLogits(rows, n); err != nil {
		return err
	}
	if err := r.session.Run(ctx, r.in, r.out); err != nil {
		return fmt.Errorf("run %d tokens of %d sequences behind %d columns of cache: %w", n, rows, c.width, err)
	}
	return r.checkOutputs(rows, r.logitCount(n), width)
}

// setTokens sets the inputs that depend on tokens, if the model has them.
func (r *tokenRunner) setTokens(rows, n, width int) {
	m := r.model
	r.setInput(m.ids, backend.Bytes(r.ids), rows, n)
	if m.mask >= 0 {
		r.setInput(m.mask, backend.Bytes(r.mask), rows, width)
	}
	if m.positions >= 0 {
		r.setInput(m.positions, backend.Bytes(r.positions), rows, n)
	}
	if m.inPlace() {
		r.setInput(m.starts, backend.Bytes(r.starts), rows)
		r.setInput(m.ends, backend.Bytes(r.ends), rows)
	}
	if m.keep >= 0 {
		r.setInput(m.keep, backend.Bytes(r.one[:]))
	}
}

func (r *tokenRunner) setInput(i int, data []byte, shape ...int) {
	t := &r.in[i]
	t.Data, t.Shape = data, t.Shape[:0]
	for _, d := range shape {
		t.Shape = append(t.Shape, int64(d))
	}
}

func (r *tokenRunner) setOutput(i int, d backend.DType, data []byte, shape ...int) {
	t := &r.out[i]
	t.DType, t.Data, t.Shape = d, data, t.Shape[:0]
	for _, d := range shape {
		t.Shape = append(t.Shape, int64(d))
	}
}

// logitCount returns the number of tokens of n for which the model returns logits.
func (r *tokenRunner) logitCount(n int) int {
	if r.model.lastOnly {
		return 1
	}
	return n
}

// placeLogits provides memory for the logits of n tokens if the model determines their size. Otherwise the session
// provides it.
func (r *tokenRunner) placeLogits(rows, n int) error {
	if r.model.vocab == 0 {
		r.out[r.model.scores].Release()
		return nil
	}
	r.logits = resizeSlice(r.logits, rows*r.logitCount(n)*r.model.vocab)
	r.setOutput(r.model.scores, backend.Float32, backend.Bytes(r.logits), rows, r.logitCount(n), r.model.vocab)
	return nil
}

// checkOutputs checks that the outputs have the shapes that the next step requires.
func (r *tokenRunner) checkOutputs(rows, n, width int) error {
	l := &r.out[r.model.scores]
	if len(l.Shape) != 3 || l.Shape[0] != int64(rows) || l.Shape[1] != int64(n) || l.Shape[2] <= 0 {
		return fmt.Errorf("%w: logits of shape %s, want [%d,%d,VOCABULARY]", ErrModel, backend.ShapeString(l.Shape), rows, n)
	}
	for _, i := range r.model.presents {
		t := &r.out[i]
		if len(t.Shape) != 4 || t.Shape[0] != int64(rows) || t.Shape[2] != int64(width) {
			return fmt.Errorf("%w: %s has shape %s, want [%d,%d,%d,%d]", ErrModel, t.Name, backend.ShapeString(t.Shape), rows,
				r.model.heads, width, r.model.dim)
		}
	}
	return nil
}

// lastLogits returns the logits of each row's last token of n.
func (r *tokenRunner) lastLogits(n int) [][]float32 {
	l := &r.out[r.model.scores]
	vocab := int(l.Shape[2])
	all := backend.View[float32](l.Data)
	r.scores = r.scores[:0]
	for row := range int(l.Shape[0]) {
		at := r.logitCount(n) - 1
		if r.model.inPlace() && !r.model.lastOnly {
			at = int(r.ends[row] - r.starts[row] - 1)
		}
		r.scores = append(r.scores, all[(row*r.logitCount(n)+at)*vocab:][:vocab])
	}
	return r.scores
}
