package generate

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// runner makes the session's tensors of tokens and a cache, in memory that it reuses.
type runner struct {
	model   *decoder
	session backend.Session
	in, out []backend.Tensor

	ids, mask, positions []int64
	logits               []float32
	scores               [][]float32
}

func newRunner(m *decoder, s backend.Session) *runner {
	r := &runner{model: m, session: s, in: make([]backend.Tensor, len(s.Inputs())), out: make([]backend.Tensor, len(s.Outputs()))}
	for i, info := range s.Inputs() {
		r.in[i] = backend.Tensor{Name: info.Name, DType: info.DType}
	}
	return r
}

// step runs the last token of each row, which joins the cache. The logits of each row are valid until the next run.
func (r *runner) step(ctx context.Context, c *cache, tokens []int32) ([][]float32, error) {
	rows, width := c.rows(), c.width+1
	r.resize(rows, 1, width)
	for i, n := range c.lengths {
		r.ids[i], r.positions[i] = int64(tokens[i]), int64(n)
		r.unmask(i, width, n+1)
	}
	if err := r.run(ctx, c, rows, 1); err != nil {
		return nil, err
	}
	c.stepped()
	return r.last(rows, 1), nil
}

// prompts runs whole prompts, which make up the cache c afterwards. Shorter ones are padded on the left.
func (r *runner) prompts(ctx context.Context, c *cache, prompts [][]int32, pad int32) ([][]float32, error) {
	width := 0
	lengths := make([]int, len(prompts))
	for i, p := range prompts {
		lengths[i] = len(p)
		width = max(width, len(p))
	}
	c.restart()
	r.resize(len(prompts), width, width)
	for i, p := range prompts {
		r.fill(r.ids[i*width:(i+1)*width], r.positions[i*width:(i+1)*width], p, pad)
		r.unmask(i, width, len(p))
	}
	if err := r.run(ctx, c, len(prompts), width); err != nil {
		return nil, err
	}
	c.filled(width, lengths)
	return r.last(len(prompts), width), nil
}

// resize makes room for rows of n tokens, and for their masks.
func (r *runner) resize(rows, n, width int) {
	r.ids = sized(r.ids, rows*n)
	r.positions = sized(r.positions, rows*n)
	r.mask = sized(r.mask, rows*width)
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// fill writes a prompt to the right end of a row. Positions count from its first token.
func (r *runner) fill(ids, positions []int64, prompt []int32, pad int32) {
	start := len(ids) - len(prompt)
	for i := range start {
		ids[i], positions[i] = int64(pad), 0
	}
	for i, id := range prompt {
		ids[start+i], positions[start+i] = int64(id), int64(i)
	}
}

// unmask lets a row see its last n columns.
func (r *runner) unmask(row, width, n int) {
	m := r.mask[row*width : (row+1)*width]
	clear(m[:width-n])
	for i := width - n; i < width; i++ {
		m[i] = 1
	}
}

// run executes the model on n tokens of each row behind the cache, and writes the cache's spare buffers.
func (r *runner) run(ctx context.Context, c *cache, rows, n int) error {
	m := r.model
	width := c.width + n
	r.set(m.ids, backend.Bytes(r.ids), rows, n)
	r.set(m.mask, backend.Bytes(r.mask), rows, width)
	if m.positions >= 0 {
		r.set(m.positions, backend.Bytes(r.positions), rows, n)
	}
	for slot, i := range m.pasts {
		r.set(i, c.tensors[slot][:c.size(rows, c.width)], rows, m.heads, c.width, m.dim)
	}
	for slot, data := range c.outputs(rows, width) {
		r.place(m.presents[slot], m.past, data, rows, m.heads, width, m.dim)
	}
	if err := r.placeLogits(rows, n); err != nil {
		return err
	}
	if err := r.session.Run(ctx, r.in, r.out); err != nil {
		return fmt.Errorf("run %d tokens of %d sequences behind %d columns of cache: %w", n, rows, c.width, err)
	}
	return r.check(rows, n, width)
}

func (r *runner) set(i int, data []byte, shape ...int) {
	t := &r.in[i]
	t.Data, t.Shape = data, t.Shape[:0]
	for _, d := range shape {
		t.Shape = append(t.Shape, int64(d))
	}
}

func (r *runner) place(i int, d backend.DType, data []byte, shape ...int) {
	t := &r.out[i]
	t.DType, t.Data, t.Shape = d, data, t.Shape[:0]
	for _, d := range shape {
		t.Shape = append(t.Shape, int64(d))
	}
}

// placeLogits gives the logits memory, where the model says how many there are; else the session does.
func (r *runner) placeLogits(rows, n int) error {
	if r.model.vocab == 0 {
		r.out[r.model.scores].Release()
		return nil
	}
	r.logits = sized(r.logits, rows*n*r.model.vocab)
	r.place(r.model.scores, backend.Float32, backend.Bytes(r.logits), rows, n, r.model.vocab)
	return nil
}

// check holds what came out to the shapes that the next step builds on.
func (r *runner) check(rows, n, width int) error {
	l := &r.out[r.model.scores]
	if len(l.Shape) != 3 || l.Shape[0] != int64(rows) || l.Shape[1] != int64(n) || l.Shape[2] <= 0 {
		return fmt.Errorf("%w: logits of shape %s, want [%d,%d,VOCABULARY]", ErrModel, backend.ShapeString(l.Shape), rows, n)
	}
	for _, i := range r.model.presents {
		t := &r.out[i]
		if len(t.Shape) != 4 || t.Shape[0] != int64(rows) || t.Shape[2] != int64(width) {
			return fmt.Errorf("%w: %s has shape %s, want [%d,%d,%d,%d]", ErrModel, t.Name, backend.ShapeString(t.Shape), rows, r.model.heads, width, r.model.dim)
		}
	}
	return nil
}

// last are the logits of each row's last token.
func (r *runner) last(rows, n int) [][]float32 {
	l := &r.out[r.model.scores]
	vocab := int(l.Shape[2])
	all := backend.View[float32](l.Data)
	r.scores = r.scores[:0]
	for i := range rows {
		r.scores = append(r.scores, all[((i+1)*n-1)*vocab:][:vocab])
	}
	return r.scores
}
