package serve

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// inflightBatch is a worker's current batch: the samples and then the payloads. Its memory is reused.
type inflightBatch struct {
	library *batch.SampleLibrary[sdk.Sample]
	answer  func(wire.AnswerBatch)

	ids      []loadgen.ResponseID
	samples  []sdk.Sample
	payloads sdk.Payloads
}

// loadBatch gets the loaded samples of a batch.
func (t *inflightBatch) loadBatch(samples []loadgen.QuerySample) (err error) {
	t.ids = t.ids[:0]
	for _, s := range samples {
		t.ids = append(t.ids, s.ID)
	}
	t.samples, err = t.library.Get(t.samples[:0], samples)
	return err
}

// fillWith makes a batch of n copies of a sample, for the warm-up.
func (t *inflightBatch) fillWith(sample sdk.Sample, n int) {
	t.ids, t.samples = t.ids[:0], t.samples[:0]
	for range n {
		t.samples = append(t.samples, sample)
	}
}

// checkPayloads requires a payload for each sample. by is the method that made them.
func (t *inflightBatch) checkPayloads(by string) error {
	if n := t.payloads.Len(); n != len(t.samples) {
		return fmt.Errorf("%d payloads for %d samples: %s must append one for each", n, len(t.samples), by)
	}
	return nil
}

// deliverBatch answers the batch.
func (t *inflightBatch) deliverBatch() error {
	data, ends, tokens := t.payloads.All()
	return deliverAnswers(t.answer, wire.AnswerBatch{IDs: t.ids, Data: data, Ends: ends, Tokens: tokens})
}

// maxAnswerBytes is the maximum size of a batch's payloads: the limit of a message without the rest of a frame.
const maxAnswerBytes = wire.MaxMessage - 2*wire.ChunkBytes

// deliverAnswers passes a batch on unless it is too large for a message.
func deliverAnswers(answer func(wire.AnswerBatch), b wire.AnswerBatch) error {
	if len(b.Data) > maxAnswerBytes {
		return fmt.Errorf("payloads of %d bytes for %d samples, the wire carries %d at a time: choose a smaller batch",
			len(b.Data), len(b.IDs), maxAnswerBytes)
	}
	answer(b)
	return nil
}
