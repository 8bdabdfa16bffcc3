package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// pluginQSL loads samples in the plugin: a loadgen.QSL.
type pluginQSL struct {
	workload *Workload

	mu   sync.Mutex
	left []loadgen.SampleIndex // to unload before the next load
}

// Name is the data set; of a workload with an order of its own it says so, for whoever reads the logs.
func (q *pluginQSL) Name() string {
	if q.workload.sut.order != nil {
		return q.workload.info.Dataset + " (samples are handed out in an order of their own: qsl_idx is not the sample)"
	}
	return q.workload.info.Dataset
}

func (q *pluginQSL) TotalSampleCount() int { return q.workload.info.DatasetSize }

func (q *pluginQSL) PerformanceSampleCount() int { return q.workload.info.PerformanceSampleCount }

// LoadSamplesToRAM first waits for what a test that ended early left in work: response ids start again with each test,
// and answers that came late would count in this one.
func (q *pluginQSL) LoadSamplesToRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	if err := q.finishSet(ctx); err != nil {
		return fmt.Errorf("waiting for answers of a test that ended early: %w", err)
	}
	p, size := q.workload.plugin, q.workload.info.DatasetSize
	if q.workload.sut.order != nil && len(indices) < size {
		return fmt.Errorf("%d of %d samples are to be loaded, but the benchmark hands out all of them in an order of its "+
			"own: leave performance_sample_count_override out", len(indices), size)
	}
	q.workload.sut.order.restartOrder()
	_, err := callUnary(ctx, p, "load samples", p.rpc.LoadSamples, &pluginpb.SamplesRequest{Indices: wire.Bytes(indices)})
	return err
}

// UnloadSamplesFromRAM leaves samples that may still be in work, of a test that ended early, to the next load: nobody
// waits for them who may not want another test.
func (q *pluginQSL) UnloadSamplesFromRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	if q.workload.sut.hasOutstanding() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.left = append(q.left, indices...)
		return nil
	}
	return q.unloadSamples(ctx, indices)
}

func (q *pluginQSL) unloadSamples(ctx context.Context, indices []loadgen.SampleIndex) error {
	p := q.workload.plugin
	_, err := callUnary(ctx, p, "unload samples", p.rpc.UnloadSamples,
		&pluginpb.SamplesRequest{Indices: wire.Bytes(indices)})
	return err
}

// finishSet waits until everything is answered, and unloads what was left.
func (q *pluginQSL) finishSet(ctx context.Context) error {
	if err := q.workload.sut.awaitAnswers(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.left) == 0 {
		return nil
	}
	left := q.left
	q.left = nil
	return q.unloadSamples(ctx, left)
}
