package serve

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// runnerWorker implements batch.Worker by passing batches of a sdk.Runner through the parts. Its memory is reused for
// each batch.
type runnerWorker struct {
	inflightBatch
	run        sdk.Run
	lane       *pool.PartLane
	firstToken func(wire.AnswerBatch)
	fault      error // error of a first token
}

func newRunning(r sdk.Runner, sets *pool.PartSets, t inflightBatch, firstToken func(wire.AnswerBatch)) (w *runnerWorker,
	err error) {
	defer batch.RecoverPanic(&err, func() string { return "NewRun" })
	w = &runnerWorker{inflightBatch: t, lane: sets.Lane(), firstToken: firstToken}
	if w.run, err = r.NewRun(w.lane.Sessions()); err != nil {
		return nil, fmt.Errorf("run of the workload: %w", err)
	}
	if w.run == nil {
		return nil, fmt.Errorf("the workload's NewRun returned neither a run nor an error")
	}
	return w, nil
}

func (w *runnerWorker) Collate(samples []loadgen.QuerySample) error { return w.loadBatch(samples) }

func (w *runnerWorker) Run(ctx context.Context) error {
	w.payloads.OnFirstToken(w.reportFirstToken)
	return w.runBatch(ctx)
}

func (w *runnerWorker) runBatch(ctx context.Context) error {
	w.payloads.Reset()
	w.lane.Begin(len(w.samples))
	if err := w.run.Run(ctx, w.samples, &w.payloads); err != nil {
		w.lane.Abandon()
		return err
	}
	w.lane.End()
	return w.fault
}

// reportFirstToken reports the first token of a sample of the batch.
func (w *runnerWorker) reportFirstToken(i int) {
	if i < 0 || i >= len(w.ids) {
		w.fault = fmt.Errorf("the first token of sample %d of a batch of %d", i, len(w.ids))
		return
	}
	w.firstToken(wire.AnswerBatch{IDs: w.ids[i : i+1], Ends: []int{0}})
}

func (w *runnerWorker) Deliver() error {
	if err := w.checkTokens(); err != nil {
		return err
	}
	return w.deliverBatch()
}

func (w *runnerWorker) checkTokens() error {
	if err := w.checkPayloads("the workload's Run"); err != nil {
		return err
	}
	if _, _, tokens := w.payloads.All(); len(tokens) > 0 && len(tokens) != len(w.samples) {
		return fmt.Errorf("%d of %d payloads have a number of tokens: AppendTokens is for all of a batch or for none",
			len(tokens), len(w.samples))
	}
	return nil
}

// warmUp runs n copies of sample and drops the answers.
func (w *runnerWorker) warmUp(ctx context.Context, sample sdk.Sample, n int) (err error) {
	defer batch.RecoverPanic(&err, func() string { return "Run of the warm-up" })
	w.fillWith(sample, n)
	w.payloads.OnFirstToken(nil)
	if err := w.runBatch(ctx); err != nil {
		return fmt.Errorf("run %d warm-up samples: %w", n, err)
	}
	return w.checkTokens()
}

// runnerPolicy returns the policy for a sdk.Runner. Its workers prepare nothing in advance. Their number is that of the
// parts' concurrent batches plus the workload's extra ones.
func runnerPolicy(w sdk.Workload, r sdk.Runner, p batch.BatchPolicy) batch.BatchPolicy {
	if most := r.MaxBatch(); most > 0 {
		p.MaxBatch = min(p.MaxBatch, most)
	}
	if o, ok := sdk.As[sdk.Overlapper](w); ok && !p.Inline {
		p.Sessions += max(0, o.ExtraRuns())
	}
	p.Workers, p.OwnTurns = p.Sessions, false // the parts have their own limits
	return p
}
