package bert

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ sdk.ClientWorker = (*workload)(nil)

// workload is the benchmark opened on one model file and one data set.
type workload struct {
	binding
	file  backend.Model
	set   *questionSet
	batch int // the largest batch that the user asks for; 0: none
	// fixed says that all batches have one length: the model sees the same padding whatever the batch.
	fixed atomic.Bool
}

// sample is one feature, without padding: token ids, mask and segments, one behind the other, of one length.
type sample struct{ rows []int64 }

func (s *sample) len() int { return len(s.rows) / 3 }

// row is the token ids (0), the mask (1) or the segments (2).
func (s *sample) row(i int) []int64 { return s.rows[i*s.len() : (i+1)*s.len()] }

func newWorkload(b binding, file backend.Model, set *questionSet, batch int) *workload {
	return &workload{binding: b, file: b.model(file), set: set, batch: batch}
}

func (w *workload) Len() int { return len(w.set.features) }

func (w *workload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load writes out the inputs of feature i.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	f := w.set.features[i]
	s := &sample{make([]int64, 3*f.Len())}
	features.Fill(f, s.row(0), s.row(1), s.row(2))
	return s, nil
}

// WarmSample is a feature of the greatest length without any word.
func (w *workload) WarmSample() *sample {
	s := &sample{make([]int64, 3*length)}
	for i := range s.row(1) {
		s.row(1)[i] = 1
	}
	return s
}

// SampleSize is the number of tokens without padding.
func (w *workload) SampleSize(s *sample) int { return s.len() }

// A batch of this many tokens keeps a core busy; more of them only wait for each other.
const (
	batchTokens  = 1536
	batchSamples = 16
)

// SizeRule joins features of similar length, which need little padding. A batch size that the user asks for is kept to.
func (w *workload) SizeRule() sdk.SizeRule {
	rule := sdk.SizeRule{MaxSum: batchTokens, Alike: w.padded == 0, Batch: batchSamples}
	if w.batch > 0 {
		rule.MaxSum = 0
	}
	return rule
}

// Collate writes token ids, masks and segments of [N,S], where S is the length of the longest sample, or what the model
// or the parameter sequence prescribes. A single sample of the right length is handed over without a copy.
func (w *workload) Collate(samples []*sample, b *sdk.Batch) error {
	size, err := w.sequence(samples, b.Info(0))
	if err != nil {
		return err
	}
	for i := range w.inputs {
		one := samples[0]
		switch dtype := b.Info(i).DType; {
		case dtype == backend.Int64 && len(samples) == 1 && one.len() == size:
			b.Share(i, backend.Bytes(one.row(i)), 1, int64(size))
		case dtype == backend.Int64:
			fill(backend.View[int64](b.Input(i, int64(len(samples)), int64(size))), samples, i, size)
		case dtype == backend.Int32:
			fill(backend.View[int32](b.Input(i, int64(len(samples)), int64(size))), samples, i, size)
		default:
			return fmt.Errorf("%w: input %q is %v, want int64 or int32", backend.ErrTensors, b.Info(i).Name, dtype)
		}
	}
	return nil
}

// sequence is the length of a batch.
func (w *workload) sequence(samples []*sample, input backend.TensorInfo) (int, error) {
	longest := 0
	for _, s := range samples {
		longest = max(longest, s.len())
	}
	fixed := w.padded
	if len(input.Shape) == 2 && input.Shape[1] > 0 {
		fixed = int(input.Shape[1])
	}
	if fixed == 0 {
		return longest, nil
	}
	w.fixed.Store(true)
	if fixed < longest {
		return 0, fmt.Errorf("%w: input %q has room for %d tokens, want %d: the benchmark's features have up to %d",
			backend.ErrTensors, input.Name, fixed, longest, length)
	}
	return fixed, nil
}

// fill copies row i of each sample, with zeros behind it.
func fill[T int32 | int64](to []T, samples []*sample, i, size int) {
	for _, s := range samples {
		row := s.row(i)
		for j, v := range row {
			to[j] = T(v)
		}
		clear(to[len(row):size])
		to = to[size:]
	}
}

// ClientWork is nothing for a model that takes int64 features of any length, one at a time, and answers with the log's
// pairs for all of its positions.
func (w *workload) ClientWork(inputs, outputs []backend.TensorInfo, n int) []string {
	var work []string
	switch {
	case len(w.outputs) == 2:
		work = append(work, fmt.Sprintf("start and end logits are gathered into pairs, with %d behind the feature's end; "+
			"parameter outputs=NAME is for models with one output of pairs", absent))
	case len(outputs) != 1 || len(outputs[0].Shape) != 3 || outputs[0].Shape[1] != length:
		work = append(work,
			fmt.Sprintf("pairs of %d are put behind the feature's end where the model answers with fewer than %d",
				absent, length))
	}
	if w.pads(inputs, n) {
		work = append(work, "features are padded to one length")
	}
	for _, in := range inputs {
		if in.DType != backend.Int64 {
			work = append(work, fmt.Sprintf("token ids, masks and segments are converted to %v", in.DType))
			break
		}
	}
	return work
}

// pads tells whether a request may hold a feature that is shorter than its row.
func (w *workload) pads(inputs []backend.TensorInfo, n int) bool {
	if n > 1 || w.padded > 0 || w.fixed.Load() {
		return true
	}
	return len(inputs) > 0 && len(inputs[0].Shape) == 2 && inputs[0].Shape[1] > 0
}

func (w *workload) Close() error { return nil }
