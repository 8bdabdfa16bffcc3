package host

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// qsl loads samples in the plugin: a loadgen.QSL.
type qsl struct{ workload *Workload }

// Name is the data set.
func (q *qsl) Name() string { return q.workload.info.Dataset }

func (q *qsl) TotalSampleCount() int { return q.workload.info.DatasetSize }

func (q *qsl) PerformanceSampleCount() int { return q.workload.info.PerformanceSampleCount }

func (q *qsl) LoadSamplesToRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	p := q.workload.plugin
	_, err := call(ctx, p, "load samples", p.rpc.LoadSamples, &pluginpb.SamplesRequest{Indices: wire.Bytes(indices)})
	return err
}

func (q *qsl) UnloadSamplesFromRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	p := q.workload.plugin
	_, err := call(ctx, p, "unload samples", p.rpc.UnloadSamples, &pluginpb.SamplesRequest{Indices: wire.Bytes(indices)})
	return err
}
