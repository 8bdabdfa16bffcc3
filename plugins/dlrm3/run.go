package dlrm3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The inputs of a model, in their order.
const (
	itemIDs = iota
	itemWeights
	itemCategories
	user
	candidateIDs
	candidateCategories
	lengths
)

// model completes m with its tensors: of B requests, L entries of the longest history, and C candidates. Where tables
// lie beside the model, rows of them are in the place of ids of items and users.
func model(m backend.Model, t *tables) backend.Model {
	input := func(name string, shape ...int64) {
		m.Inputs = append(m.Inputs, backend.TensorInfo{Name: name, DType: backend.Int64, Shape: shape})
	}
	looked := func(ids, rows string, shape ...int64) {
		if t == nil {
			input(ids, shape...)
			return
		}
		m.Inputs = append(m.Inputs, backend.TensorInfo{
			Name: rows, DType: backend.Float32, Shape: append(shape, int64(t.items.Width)), Chosen: "--param tables=DIR",
		})
	}
	m.Inputs = nil
	looked("item_ids", "item_rows", -1, -1)
	input("weights", -1, -1)
	input("categories", -1, -1)
	looked("user", "user_rows", -1)
	looked("candidate_ids", "candidate_rows", -1, -1)
	input("candidate_categories", -1, -1)
	input("lengths", -1)
	m.Outputs = []backend.TensorInfo{{Name: "predictions", DType: backend.Float32, Shape: []int64{-1, -1}}}
	return m
}

// NewRun returns the memory of one worker.
func (w *workload) NewRun(s sdk.Sessions) (sdk.RunOf[*sample], error) {
	session := s.Part("")
	return &run{session: session, batch: sdk.NewBatch(session.Inputs()), scored: w.scored, tables: w.tables}, nil
}

// run takes requests through a session: those of one period with as many candidates at a time.
type run struct {
	session backend.Session
	batch   *sdk.Batch
	out     [1]backend.Tensor
	scored  bool
	tables  *tables
	rows    [3][][]int32 // of items of histories, users, candidates
}

// Run cuts the batch where a period ends, or the number of candidates changes: no request waits for another batch.
func (r *run) Run(ctx context.Context, samples []*sample, p *sdk.Payloads) error {
	for from := 0; from < len(samples); {
		end := from + 1
		for end < len(samples) && samples[end].fits(samples[from]) {
			end++
		}
		if err := r.infer(ctx, samples[from:end], p); err != nil {
			return err
		}
		from = end
	}
	return nil
}

func (s *sample) fits(o *sample) bool { return s.period == o.period && len(s.Labels) == len(o.Labels) }

// infer runs the session once.
func (r *run) infer(ctx context.Context, samples []*sample, p *sdk.Payloads) error {
	candidates := len(samples[0].Labels)
	if candidates == 0 { // nothing to ask
		for _, s := range samples {
			s.append(p, nil, r.scored)
		}
		return nil
	}
	if err := r.collate(samples, candidates); err != nil {
		return err
	}
	if err := r.session.Run(ctx, r.batch.Tensors(), r.out[:]); err != nil {
		return err
	}
	defer r.out[0].Release()
	return r.answer(samples, candidates, p)
}

// collate writes the inputs, histories at the left of their rows. No row is empty, so that no tensor is.
func (r *run) collate(samples []*sample, candidates int) error {
	n, longest := int64(len(samples)), 1
	for _, s := range samples {
		longest = max(longest, len(s.Weights))
	}
	in := func(i int, shape ...int64) []int64 { return backend.View[int64](r.batch.Input(i, shape...)) }
	weights, categories := in(itemWeights, n, int64(longest)), in(itemCategories, n, int64(longest))
	kinds, long := in(candidateCategories, n, int64(candidates)), in(lengths, n)
	for i := range r.rows {
		r.rows[i] = r.rows[i][:0]
	}
	for i, s := range samples {
		long[i] = int64(len(s.Weights))
		widen(weights[i*longest:(i+1)*longest], s.Weights)
		widen(categories[i*longest:(i+1)*longest], s.History.Categories)
		widen(kinds[i*candidates:(i+1)*candidates], s.Candidates.Categories)
		r.rows[0], r.rows[1] = append(r.rows[0], s.History.IDs), append(r.rows[1], s.user[:])
		r.rows[2] = append(r.rows[2], s.Candidates.IDs)
	}
	var faults []error
	for i, input := range []int{itemIDs, user, candidateIDs} {
		shape := [][]int64{{n, int64(longest)}, {n}, {n, int64(candidates)}}[i]
		faults = append(faults, r.look(input, shape, r.rows[i]))
	}
	return errors.Join(faults...)
}

// look writes an input of ids, or of their rows.
func (r *run) look(input int, shape []int64, ids [][]int32) error {
	if r.tables != nil {
		return gather(r.batch, input, r.tables.of(input), shape, ids)
	}
	values := backend.View[int64](r.batch.Input(input, shape...))
	each := len(values) / len(ids)
	for i, row := range ids {
		widen(values[i*each:(i+1)*each], row)
	}
	return nil
}

// widen copies values, and zeros behind them.
func widen[T int32 | uint16 | uint8](row []int64, values []T) {
	for i, v := range values {
		row[i] = int64(v)
	}
	clear(row[len(values):])
}

// answer appends the payloads of the model's predictions.
func (r *run) answer(samples []*sample, candidates int, p *sdk.Payloads) error {
	out := r.out[0]
	if shape := out.Shape; len(shape) != 2 || shape[0] != int64(len(samples)) || shape[1] != int64(candidates) {
		return fmt.Errorf("%w: predictions %v for %d requests of %d candidates, want [%d,%d]", backend.ErrFailed, shape,
			len(samples), candidates, len(samples), candidates)
	}
	row := 4 * candidates
	for i, s := range samples {
		s.append(p, out.Data[i*row:(i+1)*row], r.scored)
	}
	return nil
}

// append appends a request's payload: period, request and predictions, and where it is scored labels, weights of 1 and
// the number of candidates; all as float32.
func (s *sample) append(p *sdk.Payloads, predictions []byte, scored bool) {
	n := len(s.Labels)
	size := 2 + n
	if scored {
		size += 2*n + 1
	}
	payload := p.Extend(4 * size)
	at := 0
	put := func(v float32) {
		binary.LittleEndian.PutUint32(payload[at:], math.Float32bits(v))
		at += 4
	}
	put(float32(s.period))
	put(float32(s.request))
	at += copy(payload[at:], predictions)
	if !scored {
		return
	}
	for _, label := range s.Labels {
		put(float32(label))
	}
	for range n {
		put(1)
	}
	put(float32(n))
}
