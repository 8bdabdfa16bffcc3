package serve

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// The plugin's half of the conversions: what it sends. The harness's half is in internal/fromproto.

func protoDescription(d sdk.Description) *pluginpb.Description {
	return &pluginpb.Description{
		Name: d.Name, Version: d.Version, Summary: d.Summary, Backends: d.Backends, Models: each(d.Models, protoModel),
	}
}

func protoModel(m sdk.ModelInfo) *pluginpb.Model {
	return &pluginpb.Model{
		Name: m.Name, Summary: m.Summary, LoadgenKey: m.LoadGenKey, RulesKey: m.RulesKey,
		Scenarios: each(m.Scenarios, protoScenario),
		Files:     each(m.Files, protoModelFile),
		Datasets:  each(m.Datasets, protoDataset),
		Metrics:   each(m.Metrics, protoMetricInfo),
		Params: each(m.Params, func(p sdk.ParamInfo) *pluginpb.Param {
			return &pluginpb.Param{Name: p.Name, Default: p.Default, Help: p.Help}
		}),
		Smoke: each(m.Smoke, func(s sdk.SmokeSetting) *pluginpb.SmokeSetting {
			return &pluginpb.SmokeSetting{Scenario: protoScenario(s.Scenario), Key: s.Key, Value: s.Value}
		}),
	}
}

func protoScenario(s loadgen.Scenario) pluginpb.Scenario {
	return pluginpb.Scenario(s) + pluginpb.Scenario_SCENARIO_SINGLE_STREAM
}

func protoModelFile(f sdk.ModelFile) *pluginpb.ModelFile {
	return &pluginpb.ModelFile{
		Name: f.Name, Embedded: f.Embedded, Precision: f.Precision, Url: f.URL, Sha256: f.SHA256, Size: f.Size,
		Licence: f.Licence, Reference: each(f.Reference, protoMetric), Note: f.Note,
	}
}

func protoDataset(d sdk.DatasetInfo) *pluginpb.Dataset {
	return &pluginpb.Dataset{
		Name: d.Name, Embedded: d.Embedded, Samples: int64(d.Samples),
		PerformanceSampleCount: int64(d.PerformanceSampleCount),
		Archives: each(d.Archives, func(a sdk.ArchiveFile) *pluginpb.ArchiveFile {
			return &pluginpb.ArchiveFile{Name: a.Name, Url: a.URL, Sha256: a.SHA256, Size: a.Size, Unpack: a.Unpack}
		}),
		Layout: d.Layout, Licence: d.Licence, Note: d.Note,
	}
}

func protoMetricInfo(m sdk.MetricInfo) *pluginpb.MetricInfo {
	return &pluginpb.MetricInfo{
		Name: m.Name, Unit: m.Unit, Reference: m.Reference, Target: m.Target, Upper: m.Upper, Share: m.Share,
	}
}

func protoMetric(m sdk.Metric) *pluginpb.Metric {
	return &pluginpb.Metric{Name: m.Name, Unit: m.Unit, Value: m.Value}
}

func protoScore(s sdk.Score) *pluginpb.Score {
	return &pluginpb.Score{
		Metrics: each(s.Metrics, protoMetric), Samples: int64(s.Samples), OfficialText: s.OfficialText, Notes: s.Notes,
	}
}

func protoInfo(i sdk.WorkloadInfo) *pluginpb.WorkloadInfo {
	return &pluginpb.WorkloadInfo{
		Model: i.Model, ModelFile: i.ModelFile, Embedded: i.Embedded, Precision: i.Precision,
		ModelSha256: i.ModelSHA256, ModelSize: i.ModelSize, Dataset: i.Dataset, DatasetSize: int64(i.DatasetSize),
		PerformanceSampleCount: int64(i.PerformanceSampleCount), Backend: i.Backend, BackendInfo: i.BackendInfo,
		Batch: int64(i.Batch), Sessions: int64(i.Sessions), Nodes: each(i.Nodes, protoNode), ClientWork: i.ClientWork,
	}
}

func protoNode(n sdk.Node) *pluginpb.Node {
	return &pluginpb.Node{
		Address: n.Address, Name: n.Name, Peer: n.Peer, RoundTripP50Ns: n.RoundTripP50.Nanoseconds(),
		RoundTripP99Ns: n.RoundTripP99.Nanoseconds(), BytesPerSecond: n.BytesPerSecond,
	}
}

// protoBackend leaves out shares, which sessions have.
func protoBackend(b sdk.BackendInfo) *pluginpb.BackendInfo {
	return &pluginpb.BackendInfo{
		Name: b.Name, Version: b.Version, Devices: b.Devices, Details: b.Details,
		Options: each(b.Options, func(o backend.Option) *pluginpb.Param {
			return &pluginpb.Param{Name: o.Name, Default: o.Default, Help: o.Help}
		}),
	}
}

func protoShare(s backend.Share) *pluginpb.Share {
	return &pluginpb.Share{Name: s.Name, Batches: s.Batches, Samples: s.Samples}
}

func each[A, B any](list []A, convert func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = convert(a)
	}
	return out
}
