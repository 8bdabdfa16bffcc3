// Package sequence batches samples that are rows of token ids of any length, and makes an encoder's inputs from them:
// ids, mask and segments.
//
//	type workload struct{ *sequence.BatchedWorkload } // with a Postprocess of its own
//
// In scope: samples without padding, their batches, the client's part of the work, outputs with logits for each
// position. Out of scope: tokens (the benchmark), the size of a batch (sdk/internal/batch, by a sdk.SizeRule).
package sequence

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Sample contains rows of equal length without padding, one for each input of the model.
type Sample struct {
	values []int64 // concatenated rows
	rows   int
}

// New returns a sample of zeros.
func New(rows, length int) *Sample { return &Sample{make([]int64, rows*length), rows} }

// Len returns the length of a row in tokens.
func (s *Sample) Len() int { return len(s.values) / s.rows }

// Row returns the row of input i. The sample owns it.
func (s *Sample) Row(i int) []int64 { return s.values[i*s.Len() : (i+1)*s.Len()] }

// BatchedWorkload is the workload of a benchmark whose model accepts batches of Samples. It has all methods of a
// sdk.BatcherOf[*Sample] except Postprocess. Its methods may be called concurrently.
type BatchedWorkload struct {
	sdk.OnePart
	Name    string              // noun for samples: "features"
	Values  string              // description of the rows: "token ids, masks and segments"
	Count   int                 // number of samples of the data set
	Read    func(i int) *Sample // makes sample i
	Rows    int                 // number of rows of a sample; the second is the mask
	Longest int                 // maximum length of a sample
	Length  int                 // length to which samples are padded; 0: the longest of the batch, or the model's length
	Tokens  int                 // maximum number of tokens in a batch; 0: no limit
	Samples int                 // maximum number of samples in a batch; 0: the backend's preference
	Asked   int                 // the user's batch size, which replaces the other limits; 0: none

	fixed atomic.Bool
}

// Len returns the number of samples.
func (w *BatchedWorkload) Len() int { return w.Count }

// Load makes sample i.
func (w *BatchedWorkload) Load(_ context.Context, i int) (*Sample, error) { return w.Read(i), nil }

// WarmSample returns a sample of the maximum length without any words.
func (w *BatchedWorkload) WarmSample() *Sample {
	s := New(w.Rows, w.Longest)
	for i := range s.Row(1) {
		s.Row(1)[i] = 1
	}
	return s
}

// SizeRule returns a rule that joins samples of similar length, which need little padding. The user's batch size takes
// precedence.
func (w *BatchedWorkload) SizeRule() sdk.SizeRule {
	rule := sdk.SizeRule{MaxSum: w.Tokens, Alike: w.Length == 0, Batch: w.Samples}
	if w.Asked > 0 {
		rule.MaxSum = 0
	}
	return rule
}

// Fixed reports whether all batches so far had the same length. If so, the model sees the same padding of a sample in
// each batch.
func (w *BatchedWorkload) Fixed() bool { return w.fixed.Load() }

// SampleSize returns the number of tokens without padding.
func (w *BatchedWorkload) SampleSize(s *Sample) int { return s.Len() }

// Collate writes the rows of a batch as inputs [N,S], in int64 or int32 as the model requires, with zeros after the end
// of a sample. It passes a single sample of the right length without a copy.
func (w *BatchedWorkload) Collate(samples []*Sample, b *sdk.Batch) error {
	size, err := w.batchLength(samples, b.Info(0))
	if err != nil {
		return err
	}
	one := samples[0]
	for i := range one.rows {
		switch dtype := b.Info(i).DType; {
		case dtype == backend.Int64 && len(samples) == 1 && one.Len() == size:
			b.Share(i, backend.Bytes(one.Row(i)), 1, int64(size))
		case dtype == backend.Int64:
			fillRows(backend.View[int64](b.Input(i, int64(len(samples)), int64(size))), samples, i, size)
		case dtype == backend.Int32:
			fillRows(backend.View[int32](b.Input(i, int64(len(samples)), int64(size))), samples, i, size)
		default:
			return fmt.Errorf("%w: input %q is %v, want int64 or int32", backend.ErrTensors, b.Info(i).Name, dtype)
		}
	}
	return nil
}

// batchLength returns the length of a batch.
func (w *BatchedWorkload) batchLength(samples []*Sample, input backend.TensorInfo) (int, error) {
	longest := 0
	for _, s := range samples {
		longest = max(longest, s.Len())
	}
	fixed := w.Length
	if hasFixedLength(input) {
		fixed = int(input.Shape[1])
	}
	if fixed == 0 {
		return longest, nil
	}
	w.fixed.Store(true)
	if fixed < longest {
		return 0, fmt.Errorf("%w: input %q has room for %d tokens, want %d: the benchmark's %s have up to %d",
			backend.ErrTensors, input.Name, fixed, longest, w.Name, w.Longest)
	}
	return fixed, nil
}

// hasFixedLength reports whether the model has the same length for all batches.
func hasFixedLength(input backend.TensorInfo) bool {
	return len(input.Shape) == 2 && input.Shape[1] > 0
}

// fillRows copies row i of each sample, followed by zeros.
func fillRows[T int32 | int64](to []T, samples []*Sample, i, size int) {
	for _, s := range samples {
		row := s.Row(i)
		for j, v := range row {
			to[j] = T(v)
		}
		clear(to[len(row):size])
		to = to[size:]
	}
}

// ClientWork returns the work of Collate, apart from passing samples on, for requests of n samples to a model with
// these inputs: padding, and conversion to int32.
func (w *BatchedWorkload) ClientWork(inputs []backend.TensorInfo, n int) (work []string) {
	if n > 1 || w.Length > 0 || w.Fixed() || len(inputs) > 0 && hasFixedLength(inputs[0]) {
		work = append(work, w.Name+" are padded to one length")
	}
	for _, in := range inputs {
		if in.DType != backend.Int64 {
			return append(work, fmt.Sprintf("%s are converted to %v", w.Values, in.DType))
		}
	}
	return work
}
