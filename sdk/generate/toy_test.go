package generate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// toy is a decoder whose logits depend on every token of a sequence and its position, and on nothing else. It stores
// tokens and positions in its cache and hashes the columns that the mask shows. A faulty cache changes the answers.
type toy struct {
	vocab, layers int
	inPlace       bool    // the form of its cache
	lastOnly      bool    // return only the logits of each row's last token
	favour        float32 // bonus of the end token, which is 0
	runs          atomic.Int64
	fail          atomic.Bool
	before        func() // called before a run
	closed        atomic.Bool
	concurrency   int
}

const toyHeads = 2

// forms returns the toy's forms of a cache and of logits.
func forms() []*toy {
	return []*toy{{}, {lastOnly: true}, {inPlace: true}, {inPlace: true, lastOnly: true}}
}

// in returns a copy of this toy in another toy's form.
func (t *toy) in(form *toy) *toy {
	return &toy{vocab: t.vocab, layers: t.layers, favour: t.favour, concurrency: t.concurrency, inPlace: form.inPlace,
		lastOnly: form.lastOnly}
}

// name returns the name of the toy's form.
func (t *toy) name() string {
	return fmt.Sprintf("in place %v, last logits only %v", t.inPlace, t.lastOnly)
}

var errToy = errors.New("the toy is broken")

func (t *toy) Inputs() []backend.TensorInfo {
	in := []backend.TensorInfo{
		{Name: "input_ids", DType: backend.Int64, Shape: []int64{-1, -1}},
		{Name: "attention_mask", DType: backend.Int64, Shape: []int64{-1, -1}},
		{Name: "position_ids", DType: backend.Int64, Shape: []int64{-1, -1}},
	}
	if t.inPlace {
		in[1] = backend.TensorInfo{Name: "write_indices", DType: backend.Int64, Shape: []int64{-1}}
		in[2] = backend.TensorInfo{Name: "nonpad_kv_seqlen", DType: backend.Int64, Shape: []int64{-1}}
	}
	in = append(in, t.cached("past_key_values")...)
	if t.lastOnly && !t.inPlace {
		in = append(in, backend.TensorInfo{Name: "num_logits_to_keep", DType: backend.Int64, Shape: []int64{}})
	}
	return in
}

func (t *toy) Outputs() []backend.TensorInfo {
	logits := backend.TensorInfo{Name: "logits", DType: backend.Float32, Shape: []int64{-1, -1, int64(t.vocab)}}
	if t.lastOnly && t.inPlace {
		logits.Shape[1] = 1
	}
	return append([]backend.TensorInfo{logits}, t.cached("present")...)
}

func (t *toy) cached(prefix string) []backend.TensorInfo {
	var all []backend.TensorInfo
	for i := range t.layers {
		for _, kind := range []string{"key", "value"} {
			all = append(all, backend.TensorInfo{
				Name: fmt.Sprintf("%s.%d.%s", prefix, i, kind), DType: backend.Float32, Shape: []int64{-1, toyHeads, -1, 1},
			})
		}
	}
	return all
}

func (t *toy) Limits() backend.Limits { return backend.Limits{Concurrency: t.concurrency} }

func (t *toy) Close() error {
	t.closed.Store(true)
	return nil
}

func (t *toy) Run(_ context.Context, in, out []backend.Tensor) error {
	t.runs.Add(1)
	if t.before != nil {
		t.before()
	}
	if t.fail.Load() {
		return errToy
	}
	if err := backend.CheckTensors("input", t.Inputs(), in); err != nil {
		return err
	}
	if t.inPlace {
		return t.runInPlace(in, out)
	}
	rows, n := int(in[0].Shape[0]), int(in[0].Shape[1])
	past := int(in[3].Shape[2])
	for slot := range 2 * t.layers {
		t.extend(slot, in, out[1+slot], rows, past, n)
	}
	mask := backend.View[int64](in[1].Data)
	for r := range rows {
		for i := range n {
			t.scoreToken(out, r, i, n, n-1, t.seen(mask[r*(past+n):], out, r, past+n, past+i+1))
		}
	}
	return nil
}

// scoreToken writes the logits of new token i of n of a row whose last token is at last, if the toy returns them.
func (t *toy) scoreToken(out []backend.Tensor, row, i, n, last int, seed uint64) {
	logits := backend.View[float32](out[0].Data)
	switch {
	case !t.lastOnly:
		t.score(logits[(row*n+i)*t.vocab:][:t.vocab], seed)
	case i == last:
		t.score(logits[row*t.vocab:][:t.vocab], seed)
	}
}

// extend writes a present tensor: the past tensor, and one column for each new token. Keys contain tokens, values
// contain positions.
func (t *toy) extend(slot int, in []backend.Tensor, present backend.Tensor, rows, past, n int) {
	old, now := backend.View[float32](in[3+slot].Data), backend.View[float32](present.Data)
	news := backend.View[int64](in[2*(slot%2)].Data)
	for r := range rows {
		for h := range toyHeads {
			at := (r*toyHeads + h) * (past + n)
			copy(now[at:at+past], old[(r*toyHeads+h)*past:])
			for i := range n {
				now[at+past+i] = float32(news[r*n+i]*int64(h+1) + int64(slot))
			}
		}
	}
}

// seen hashes the contents of a row's columns up to end that the mask shows.
func (t *toy) seen(mask []int64, out []backend.Tensor, row, width, end int) uint64 {
	var sum uint64
	for slot := range 2 * t.layers {
		values := backend.View[float32](out[1+slot].Data)
		for h := range toyHeads {
			for j := range end {
				if mask[j] == 0 {
					continue
				}
				token := backend.View[float32](out[1].Data)[(row*toyHeads)*width+j]
				v := values[(row*toyHeads+h)*width+j]
				sum += mix(uint64(int64(v))<<32 ^ uint64(int64(token))<<8 ^ uint64(slot*toyHeads+
					h) ^ uint64(position(out, row, width, j))<<48)
			}
		}
	}
	return sum
}

func position(out []backend.Tensor, row, width, j int) int64 {
	return int64(backend.View[float32](out[2].Data)[(row*toyHeads)*width+j])
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// runInPlace writes new tokens into their columns of the cache, including padding, and reads no column after a row's
// end.
func (t *toy) runInPlace(in, out []backend.Tensor) error {
	if &in[3].Data[0] != &out[1].Data[0] {
		return errors.New("past and present are not in the same memory")
	}
	rows, n, width := int(in[0].Shape[0]), int(in[0].Shape[1]), int(in[3].Shape[2])
	ids, starts, ends := backend.View[int64](in[0].Data), backend.View[int64](in[1].Data), backend.View[int64](in[2].Data)
	shown := slices.Repeat([]int64{1}, width)
	for r := range rows {
		for i := range n {
			t.writeToken(out, r, width, int(starts[r])+i, ids[r*n+i])
		}
		for i := range n {
			t.scoreToken(out, r, i, n, int(ends[r]-starts[r])-1, t.seen(shown, out, r, width, int(starts[r])+i+1))
		}
	}
	return nil
}

// writeToken does the same as extend for one token, whose position is its column.
func (t *toy) writeToken(out []backend.Tensor, row, width, column int, token int64) {
	for slot := range 2 * t.layers {
		value := [2]int64{token, int64(column)}[slot%2]
		for h := range toyHeads {
			at := (row*toyHeads+h)*width + column
			backend.View[float32](out[1+slot].Data)[at] = float32(value*int64(h+1) + int64(slot))
		}
	}
}

func (t *toy) score(logits []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range logits {
		logits[i] = float32(r.NormFloat64())
	}
	logits[0] += t.favour
}

// logits returns the logits after a sequence, computed without a cache.
func (t *toy) logits(ids []int32) []float32 {
	fresh := &toy{vocab: t.vocab, layers: t.layers, favour: t.favour}
	n := int64(len(ids))
	in := make([]backend.Tensor, 3+2*t.layers)
	wide := make([]int64, 3*n)
	for i, id := range ids {
		wide[i], wide[n+int64(i)], wide[2*n+int64(i)] = int64(id), 1, int64(i)
	}
	for i := range 3 {
		in[i] = backend.Tensor{
			DType: backend.Int64, Shape: []int64{1, n}, Data: backend.Bytes(wide[int64(i)*n : int64(i+1)*n]),
		}
	}
	out := make([]backend.Tensor, 1+2*t.layers)
	for i := range 2 * t.layers {
		in[3+i] = backend.Tensor{DType: backend.Float32, Shape: []int64{1, toyHeads, 0, 1}}
		out[1+i] = backend.Tensor{Data: make([]byte, toyHeads*4*n)}
	}
	logits := make([]float32, int(n)*t.vocab)
	out[0].Data = backend.Bytes(logits)
	if err := fresh.Run(context.Background(), in, out); err != nil {
		panic(err)
	}
	return logits[(int(n)-1)*t.vocab:]
}

// greedy returns the answer to a prompt, computed without a cache.
func (t *toy) greedy(p backend.Prompt) []int32 {
	ids := append([]int32(nil), p.Tokens...)
	for n := 0; n < p.MaxNewTokens; n++ {
		best, at := math.Inf(-1), 0
		for i, v := range t.logits(ids) {
			if float64(v) > best && (i != 0 || n >= p.MinNewTokens) {
				best, at = float64(v), i
			}
		}
		ids = append(ids, int32(at))
		if at == 0 {
			break
		}
	}
	return ids[len(p.Tokens):]
}

// answer is a sink that stores the answer.
type answer struct {
	first, all []int32
	firsts     int
	completes  int
	onFirst    func()
}

func (a *answer) FirstToken(t backend.Tokens) {
	a.firsts++
	a.first = append([]int32(nil), t.IDs...)
	if a.onFirst != nil {
		a.onFirst()
	}
}

func (a *answer) Complete(t backend.Tokens) {
	a.completes++
	a.all = append([]int32(nil), t.IDs...)
}

func (a *answer) check(t testing.TB, want []int32) {
	t.Helper()
	if a.firsts != 1 || a.completes != 1 {
		t.Errorf("FirstToken called %d times, Complete %d times, want 1 and 1", a.firsts, a.completes)
	}
	if fmt.Sprint(a.all) != fmt.Sprint(want) || len(want) > 0 && (len(a.first) != 1 || a.first[0] != want[0]) {
		t.Errorf("answer %v after %v, want %v", a.all, a.first, want)
	}
}
