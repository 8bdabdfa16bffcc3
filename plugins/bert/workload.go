package bert

import (
	"fmt"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sequence"
)

var _ sdk.ClientWorker = (*questionWorkload)(nil)

// questionWorkload is the benchmark opened on one model file and one data set. A sample is one feature: token ids, mask
// and segments.
type questionWorkload struct{ *sequence.BatchedWorkload }

// A batch of this many tokens keeps a core busy; more of them only wait for each other.
const (
	batchTokens  = 1536
	batchSamples = 16
)

// newQuestionWorkload opens the benchmark on some features. batch is the largest batch that the user asks for; 0: none.
func newQuestionWorkload(b tensorBinding, file backend.Model, all []features.Feature, batch int) *questionWorkload {
	file.Inputs, file.Outputs = b.Inputs, b.Outputs
	return &questionWorkload{&sequence.BatchedWorkload{
		OnePart: sdk.OnePart{Model: file}, Name: "features", Values: "token ids, masks and segments",
		Count: len(all), Read: func(i int) *sequence.Sample { return inputSample(all[i]) },
		Rows: 3, Longest: length, Length: b.Padded, Tokens: batchTokens, Samples: batchSamples, Asked: batch,
	}}
}

// inputSample writes out the inputs of a feature.
func inputSample(f features.Feature) *sequence.Sample {
	s := sequence.New(3, f.Len())
	features.Fill(f, s.Row(0), s.Row(1), s.Row(2))
	return s
}

// payloadBytes is the size of a payload: a start and an end logit, of float32, for each position.
const payloadBytes = length * 2 * 4

// Postprocess appends each feature's logits, in pairs: those of its tokens and, where all batches have one length,
// those of the padding, as in the reference. Absent ones stand for the rest: where batches are as long as their longest
// feature, a payload must not depend on the others. Pairs for all positions of the log are taken as they are.
func (w *questionWorkload) Postprocess(outputs []backend.Tensor, samples []*sequence.Sample, p *sdk.Payloads) error {
	l, err := w.findLogits(outputs, len(samples))
	if err != nil {
		return err
	}
	for i, s := range samples {
		n := s.Len()
		if l.Size < n {
			return fmt.Errorf("%w: %d positions for a feature of %d tokens", sequence.ErrOutput, l.Size, n)
		}
		if w.Fixed() || l.Pairs != nil && l.Size >= length {
			n = l.Size
		}
		l.Put(p.Extend(payloadBytes), i, n)
	}
	return nil
}

// findLogits finds the logits of n features in the outputs.
func (w *questionWorkload) findLogits(outputs []backend.Tensor, n int) (l accuracy.Logits, err error) {
	if len(outputs) != 1 || len(w.Model.Outputs) != 1 {
		both, err := sequence.AllLogits(outputs, n, "start", "end")
		if err != nil {
			return l, err
		}
		return accuracy.Logits{Start: both[0], End: both[1], Size: len(both[0]) / n}, nil
	}
	t := outputs[0]
	if len(t.Shape) != 3 || t.Shape[2] != 2 {
		return l, fmt.Errorf("%w: %q is %v%s, want float32[%d,S,2]", sequence.ErrOutput, t.Name, t.DType,
			backend.ShapeString(t.Shape), n)
	}
	l.Size = int(t.Shape[1])
	l.Pairs, err = sequence.Logits(t, n, "pairs of logits")
	return l, err
}

// ClientWork is nothing for a model that takes int64 features of any length, one at a time, and answers with the log's
// pairs for all of its positions.
func (w *questionWorkload) ClientWork(inputs, outputs []backend.TensorInfo, n int) []string {
	var work []string
	switch {
	case len(w.Model.Outputs) == 2:
		work = append(work, fmt.Sprintf("start and end logits are gathered into pairs, with %d behind the feature's end; "+
			"parameter outputs=NAME is for models with one output of pairs", accuracy.Absent))
	case len(outputs) != 1 || len(outputs[0].Shape) != 3 || outputs[0].Shape[1] != length:
		work = append(work,
			fmt.Sprintf("pairs of %d are put behind the feature's end where the model answers with fewer than %d",
				accuracy.Absent, length))
	}
	return append(work, w.BatchedWorkload.ClientWork(inputs, n)...)
}
