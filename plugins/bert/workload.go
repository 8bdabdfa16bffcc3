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

// questionWorkload is the benchmark with one model file and one data set. A sample is a feature: token IDs, mask and
// segments.
type questionWorkload struct{ *sequence.BatchedWorkload }

// Limits of a batch. This number of tokens keeps a core busy; with more tokens, samples only wait for each other.
const (
	batchTokens  = 1536
	batchSamples = 16
)

// newQuestionWorkload returns a workload for the features. maxBatch is the largest batch that the user requests; 0: the
// default.
func newQuestionWorkload(b tensorBinding, file backend.Model, all []features.Feature, maxBatch int) *questionWorkload {
	file.Inputs, file.Outputs = b.Inputs, b.Outputs
	return &questionWorkload{&sequence.BatchedWorkload{
		OnePart: sdk.OnePart{Model: file}, Name: "features", Values: "token ids, masks and segments",
		Count: len(all), Read: func(i int) *sequence.Sample { return makeSample(all[i]) },
		Rows: 3, Longest: featureLength, Length: b.PaddedLength, Tokens: batchTokens, Samples: batchSamples, Asked: maxBatch,
	}}
}

// makeSample returns the inputs of a feature.
func makeSample(f features.Feature) *sequence.Sample {
	s := sequence.New(3, f.Len())
	features.Fill(f, s.Row(0), s.Row(1), s.Row(2))
	return s
}

// payloadBytes is the size of a payload: a start and an end logit, as float32, for each position.
const payloadBytes = featureLength * 2 * 4

// Postprocess appends each feature's logits in pairs. If all batches have the same length, the logits of the padding
// are included, as in the reference. If the length depends on the batch, they are replaced by absent values, so that a
// payload does not depend on the other features of its batch. Outputs that already contain pairs for all positions are
// copied unchanged.
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
		if w.Fixed() || l.Pairs != nil && l.Size >= featureLength {
			n = l.Size
		}
		l.Put(p.Extend(payloadBytes), i, n)
	}
	return nil
}

// findLogits returns the logits of n features in the outputs.
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

// ClientWork returns nil for a model that takes single int64 features of any length and answers with the log's pairs
// for all positions.
func (w *questionWorkload) ClientWork(inputs, outputs []backend.TensorInfo, n int) []string {
	var work []string
	switch {
	case len(w.Model.Outputs) == 2:
		work = append(work, fmt.Sprintf("start and end logits are gathered into pairs, with %d behind the feature's end; "+
			"parameter outputs=NAME is for models with one output of pairs", accuracy.Absent))
	case len(outputs) != 1 || len(outputs[0].Shape) != 3 || outputs[0].Shape[1] != featureLength:
		work = append(work,
			fmt.Sprintf("pairs of %d are put behind the feature's end where the model answers with fewer than %d",
				accuracy.Absent, featureLength))
	}
	return append(work, w.BatchedWorkload.ClientWork(inputs, n)...)
}
