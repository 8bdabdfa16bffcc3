package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// pluginQSL implements loadgen.QSL by loading samples in the plugin.
type pluginQSL struct {
	workload *Workload

	mu       sync.Mutex
	toUnload []loadgen.SampleIndex // to unload before the next load
}

// Name returns the name of the data set. If the workload has its own order, the name says so for readers of the logs.
func (q *pluginQSL) Name() string {
	if q.workload.sut.order != nil {
		return q.workload.info.Dataset + " (samples are handed out in an order of their own: qsl_idx is not the sample)"
	}
	return q.workload.info.Dataset
}

func (q *pluginQSL) TotalSampleCount() int { return q.workload.info.DatasetSize }

func (q *pluginQSL) PerformanceSampleCount() int { return q.workload.info.PerformanceSampleCount }

// LoadSamplesToRAM first waits for the outstanding samples of an aborted test. Response ids start again with each test,
// so late answers would count in this one.
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

// UnloadSamplesFromRAM leaves samples that may still be in use after an aborted test to the next load. The caller does
// not have to wait if there is no further test.
func (q *pluginQSL) UnloadSamplesFromRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	if q.workload.sut.hasOutstanding() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.toUnload = append(q.toUnload, indices...)
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

// finishSet waits until all samples are answered, and unloads the samples that were left.
func (q *pluginQSL) finishSet(ctx context.Context) error {
	if err := q.workload.sut.awaitAnswers(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.toUnload) == 0 {
		return nil
	}
	left := q.toUnload
	q.toUnload = nil
	return q.unloadSamples(ctx, left)
}
