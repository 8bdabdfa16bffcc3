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

// Inputs of a model, in order.
const (
	itemIDs = iota
	itemWeights
	itemCategories
	userIDs
	candidateIDs
	candidateCategories
	historyLengths
)

// bindModel returns m with its tensors, for B requests, L entries of the longest history, and C candidates. If the
// tables are separate from the model, inputs contain rows of them instead of IDs of items and users.
func bindModel(m backend.Model, t *embeddingTables) backend.Model {
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

// NewRun returns a run with the memory of one worker.
func (w *streamWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*requestSample], error) {
	session := s.Part("")
	return &requestRun{session: session, batch: sdk.NewBatch(session.Inputs()), scored: w.scored, tables: w.tables}, nil
}

// requestRun runs requests through a session. A batch contains requests of one period with the same number of
// candidates.
type requestRun struct {
	session   backend.Session
	batch     *sdk.Batch
	outputs   [1]backend.Tensor
	scored    bool
	tables    *embeddingTables
	tableRows [3][][]int32 // of the items in histories, users, and candidates
}

// Run splits the samples into batches at the end of a period and where the number of candidates changes. Requests do
// not wait for a later call.
func (r *requestRun) Run(ctx context.Context, samples []*requestSample, p *sdk.Payloads) error {
	for from := 0; from < len(samples); {
		end := from + 1
		for end < len(samples) && samples[end].sameShape(samples[from]) {
			end++
		}
		if err := r.inferBatch(ctx, samples[from:end], p); err != nil {
			return err
		}
		from = end
	}
	return nil
}

func (s *requestSample) sameShape(o *requestSample) bool {
	return s.period == o.period && len(s.Labels) == len(o.Labels)
}

// inferBatch runs the session once.
func (r *requestRun) inferBatch(ctx context.Context, samples []*requestSample, p *sdk.Payloads) error {
	candidates := len(samples[0].Labels)
	if candidates == 0 { // no candidates to rate
		for _, s := range samples {
			s.appendPayload(p, nil, r.scored)
		}
		return nil
	}
	if err := r.writeInputs(samples, candidates); err != nil {
		return err
	}
	if err := r.session.Run(ctx, r.batch.Tensors(), r.outputs[:]); err != nil {
		return err
	}
	defer r.outputs[0].Release()
	return r.appendAnswers(samples, candidates, p)
}

// writeInputs writes the inputs of a batch. Histories are aligned to the left. Rows have one entry or more, so no
// tensor is empty.
func (r *requestRun) writeInputs(samples []*requestSample, candidates int) error {
	n, longest := int64(len(samples)), 1
	for _, s := range samples {
		longest = max(longest, len(s.Weights))
	}
	in := func(i int, shape ...int64) []int64 { return backend.View[int64](r.batch.Input(i, shape...)) }
	weights, categories := in(itemWeights, n, int64(longest)), in(itemCategories, n, int64(longest))
	kinds, long := in(candidateCategories, n, int64(candidates)), in(historyLengths, n)
	for i := range r.tableRows {
		r.tableRows[i] = r.tableRows[i][:0]
	}
	for i, s := range samples {
		long[i] = int64(len(s.Weights))
		copyPadded(weights[i*longest:(i+1)*longest], s.Weights)
		copyPadded(categories[i*longest:(i+1)*longest], s.History.Categories)
		copyPadded(kinds[i*candidates:(i+1)*candidates], s.Candidates.Categories)
		r.tableRows[0], r.tableRows[1] = append(r.tableRows[0], s.History.IDs), append(r.tableRows[1], s.user[:])
		r.tableRows[2] = append(r.tableRows[2], s.Candidates.IDs)
	}
	var faults []error
	for i, input := range []int{itemIDs, userIDs, candidateIDs} {
		shape := [][]int64{{n, int64(longest)}, {n}, {n, int64(candidates)}}[i]
		faults = append(faults, r.writeIDs(input, shape, r.tableRows[i]))
	}
	return errors.Join(faults...)
}

// writeIDs writes an input of IDs, or of the tables' rows for them.
func (r *requestRun) writeIDs(input int, shape []int64, ids [][]int32) error {
	if r.tables != nil {
		return gatherRows(r.batch, input, r.tables.inputTable(input), shape, ids)
	}
	values := backend.View[int64](r.batch.Input(input, shape...))
	each := len(values) / len(ids)
	for i, row := range ids {
		copyPadded(values[i*each:(i+1)*each], row)
	}
	return nil
}

// copyPadded copies values into row and fills the rest with zeros.
func copyPadded[T int32 | uint16 | uint8](row []int64, values []T) {
	for i, v := range values {
		row[i] = int64(v)
	}
	clear(row[len(values):])
}

// appendAnswers appends the payloads with the model's predictions.
func (r *requestRun) appendAnswers(samples []*requestSample, candidates int, p *sdk.Payloads) error {
	out := r.outputs[0]
	if shape := out.Shape; len(shape) != 2 || shape[0] != int64(len(samples)) || shape[1] != int64(candidates) {
		return fmt.Errorf("%w: predictions %v for %d requests of %d candidates, want [%d,%d]", backend.ErrFailed, shape,
			len(samples), candidates, len(samples), candidates)
	}
	row := 4 * candidates
	for i, s := range samples {
		s.appendPayload(p, out.Data[i*row:(i+1)*row], r.scored)
	}
	return nil
}

// appendPayload appends a request's payload as float32 values: period, request and predictions. If scored is set,
// labels, weights of 1 and the number of candidates follow.
func (s *requestSample) appendPayload(p *sdk.Payloads, predictions []byte, scored bool) {
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
