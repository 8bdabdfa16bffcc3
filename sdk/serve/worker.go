package serve

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/pool"
	"github.com/plumbline-ml/plumbline/sdk/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// worker takes batches of a workload through its session: batch.Worker. Its memory is reused from batch to batch.
type worker struct {
	workload sdk.Workload
	session  backend.Session
	library  *batch.Library[sdk.Sample]
	answer   func(wire.Batch)

	ids      []loadgen.ResponseID
	samples  []sdk.Sample
	inputs   *sdk.Batch
	outputs  []backend.Tensor
	payloads sdk.Payloads
	run      sdk.SampleRun // instead of Collate, session and Postprocess, where the workload is a Runner
	lane     *pool.Lane    // the session, where that is on several devices; else nil
}

func newWorker(w *opened, s backend.Session, answer func(wire.Batch)) *worker {
	k := &worker{workload: w.workload, library: w.library, answer: answer, outputs: make([]backend.Tensor, len(s.Outputs()))}
	if p, ok := s.(*pool.Session); ok {
		k.lane = p.Lane()
		s = k.lane
	}
	k.session, k.inputs = s, newBatchFor(s)
	if r, ok := w.workload.(sdk.Runner); ok {
		k.run = r.NewRun(awaited{s})
	}
	return k
}

// awaited is the session of a Runner: each of a sample's runs is a sign that it gets on.
type awaited struct{ backend.Session }

func (a awaited) Run(ctx context.Context, in, out []backend.Tensor) error {
	defer backend.Await(ctx, backend.Wait{For: "a run of the session"}).End()
	return a.Session.Run(ctx, in, out)
}

// Stage implements backend.Stager.
func (a awaited) Stage() backend.Stage {
	if s, ok := a.Session.(backend.Stager); ok {
		return s.Stage()
	}
	return nil
}

func (w *worker) Collate(samples []loadgen.QuerySample) (err error) {
	w.ids = w.ids[:0]
	for _, s := range samples {
		w.ids = append(w.ids, s.ID)
	}
	if w.samples, err = w.library.Get(w.samples[:0], samples); err != nil {
		return err
	}
	return w.collate()
}

// collate writes the inputs, of several devices to the memory of the one that is to run them.
func (w *worker) collate() (err error) {
	if w.lane != nil {
		w.lane.Begin(len(w.samples))
		defer func() {
			if err != nil {
				w.lane.Abandon()
			}
		}()
	}
	if w.run != nil {
		return nil
	}
	return w.workload.Collate(w.samples, w.inputs)
}

func (w *worker) Run(ctx context.Context) error {
	if w.lane != nil {
		defer w.lane.End()
	}
	if w.run != nil {
		return w.runSamples(ctx)
	}
	return w.session.Run(ctx, w.inputs.Tensors(), w.outputs)
}

func (w *worker) runSamples(ctx context.Context) error {
	w.payloads.Reset()
	for _, s := range w.samples {
		if err := w.run.Run(ctx, s, &w.payloads); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) Deliver() error {
	if err := w.postprocess(); err != nil {
		return err
	}
	data, ends := w.payloads.All()
	return deliver(w.answer, wire.Batch{IDs: w.ids, Data: data, Ends: ends})
}

// mostAnswered is how many bytes of payloads one batch may have: what a message holds, less the rest of a frame.
const mostAnswered = handshake.MaxMessage - 2*handshake.ChunkBytes

// deliver hands a batch on, unless no message can carry it.
func deliver(answer func(wire.Batch), b wire.Batch) error {
	if len(b.Data) > mostAnswered {
		return fmt.Errorf("payloads of %d bytes for %d samples, the wire carries %d at a time: choose a smaller batch", len(b.Data), len(b.IDs), mostAnswered)
	}
	answer(b)
	return nil
}

func (w *worker) postprocess() error {
	if w.run == nil {
		w.payloads.Reset()
		defer w.release()
		if err := w.workload.Postprocess(w.outputs, w.samples, &w.payloads); err != nil {
			return err
		}
	}
	if w.payloads.Len() != len(w.samples) {
		return fmt.Errorf("%d payloads for %d samples: Postprocess, or a SampleRun, must append one for each", w.payloads.Len(), len(w.samples))
	}
	return nil
}

func (w *worker) release() {
	for i := range w.outputs {
		w.outputs[i].Release()
	}
}

// warmUp runs n copies of sample and drops the answers.
func (w *worker) warmUp(ctx context.Context, sample sdk.Sample, n int) (err error) {
	stage := "Collate"
	defer batch.Recover(&err, func() string { return stage + " of the warm-up" })
	w.samples = w.samples[:0]
	for range n {
		w.samples = append(w.samples, sample)
	}
	if err := w.collate(); err != nil {
		return fmt.Errorf("collate %d warm-up samples: %w", n, err)
	}
	stage = "Run"
	if err := w.Run(ctx); err != nil {
		return fmt.Errorf("run %d warm-up samples: %w", n, err)
	}
	if w.run == nil {
		if err := backend.CheckTensors("output", w.session.Outputs(), w.outputs); err != nil {
			return fmt.Errorf("run %d warm-up samples: %w: what came back is not what the session's Outputs say: %w", n, backend.ErrFailed, err)
		}
	}
	stage = "Postprocess"
	if err := w.postprocess(); err != nil {
		return fmt.Errorf("postprocess %d warm-up samples: %w", n, err)
	}
	return nil
}
