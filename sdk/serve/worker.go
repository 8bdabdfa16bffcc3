package serve

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// batchWorker implements batch.Worker by passing batches of a sdk.Batcher through its session. Its memory is reused for
// each batch.
type batchWorker struct {
	inflightBatch
	workload sdk.Batcher
	session  backend.Session
	lane     *pool.SessionLane // the session if it is on several devices; otherwise nil
	inputs   *sdk.Batch
	outputs  []backend.Tensor
}

func newWorker(b sdk.Batcher, s backend.Session, t inflightBatch) *batchWorker {
	k := &batchWorker{inflightBatch: t, workload: b, outputs: make([]backend.Tensor, len(s.Outputs()))}
	if p, ok := s.(*pool.Session); ok {
		k.lane = p.Lane()
		s = k.lane
	}
	k.session, k.inputs = s, newBatchFor(s)
	return k
}

// newBatchFor returns a batch for a session, in the session's own memory if it has some.
func newBatchFor(s backend.Session) *sdk.Batch {
	if stager, ok := s.(backend.Stager); ok {
		return sdk.StagedBatch(s.Inputs(), stager.Stage())
	}
	return sdk.NewBatch(s.Inputs())
}

func (w *batchWorker) Collate(samples []loadgen.QuerySample) error {
	if err := w.loadBatch(samples); err != nil {
		return err
	}
	return w.collateInputs()
}

// collateInputs writes the inputs. With several devices, it writes them to the memory of the device that will run them.
func (w *batchWorker) collateInputs() (err error) {
	if w.lane != nil {
		w.lane.Begin(len(w.samples))
		defer func() {
			if err != nil {
				w.lane.Abandon()
			}
		}()
	}
	return w.workload.Collate(w.samples, w.inputs)
}

func (w *batchWorker) Run(ctx context.Context) error {
	if w.lane != nil {
		defer w.lane.End()
	}
	return w.session.Run(ctx, w.inputs.Tensors(), w.outputs)
}

func (w *batchWorker) Deliver() error {
	if err := w.appendPayloads(); err != nil {
		return err
	}
	return w.deliverBatch()
}

func (w *batchWorker) appendPayloads() error {
	w.payloads.Reset()
	defer w.releaseOutputs()
	if err := w.workload.Postprocess(w.outputs, w.samples, &w.payloads); err != nil {
		return err
	}
	return w.checkPayloads("Postprocess")
}

func (w *batchWorker) releaseOutputs() {
	for i := range w.outputs {
		w.outputs[i].Release()
	}
}

// warmUp runs n copies of sample and drops the answers.
func (w *batchWorker) warmUp(ctx context.Context, sample sdk.Sample, n int) (err error) {
	stage := "Collate"
	defer batch.RecoverPanic(&err, func() string { return stage + " of the warm-up" })
	w.fillWith(sample, n)
	if err := w.collateInputs(); err != nil {
		return fmt.Errorf("collate %d warm-up samples: %w", n, err)
	}
	stage = "Run"
	if err := w.Run(ctx); err != nil {
		return fmt.Errorf("run %d warm-up samples: %w", n, err)
	}
	if err := backend.CheckTensors("output", w.session.Outputs(), w.outputs); err != nil {
		return fmt.Errorf("run %d warm-up samples: %w: what came back is not what the session's Outputs say: %w", n,
			backend.ErrFailed, err)
	}
	stage = "Postprocess"
	if err := w.appendPayloads(); err != nil {
		return fmt.Errorf("postprocess %d warm-up samples: %w", n, err)
	}
	return nil
}
