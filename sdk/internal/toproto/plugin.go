package toproto

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Description makes what a plugin says of itself.
func Description(d sdk.Description) *pluginpb.Description {
	return &pluginpb.Description{
		Name: d.Name, Version: d.Version, Summary: d.Summary, Backends: d.Backends, Models: wire.List(d.Models, model),
	}
}

func model(m sdk.ModelInfo) *pluginpb.Model {
	return &pluginpb.Model{
		Name: m.Name, Summary: m.Summary, LoadgenKey: m.LoadGenKey, RulesKey: m.RulesKey,
		Scenarios:   wire.List(m.Scenarios, Scenario),
		Parts:       wire.List(m.Parts, partInfo),
		ScorerParts: wire.List(m.ScorerParts, partInfo), ScorerFiles: wire.List(m.ScorerFiles, modelFile),
		Files:    wire.List(m.Files, modelFile),
		Datasets: wire.List(m.Datasets, dataset),
		Metrics:  wire.List(m.Metrics, metricInfo),
		Params:   wire.List(m.Params, param),
		Smoke: wire.List(m.Smoke, func(s sdk.SmokeSetting) *pluginpb.SmokeSetting {
			return &pluginpb.SmokeSetting{Scenario: Scenario(s.Scenario), Key: s.Key, Value: s.Value}
		}),
		DatasetActions: wire.List(m.DatasetActions, datasetAction),
	}
}

func param(p sdk.ParamInfo) *pluginpb.Param {
	return &pluginpb.Param{Name: p.Name, Default: p.Default, Help: p.Help}
}

func datasetAction(a sdk.DatasetAction) *pluginpb.DatasetAction {
	return &pluginpb.DatasetAction{
		Action: a.Action, Name: a.Name, Summary: a.Summary, Input: a.Input, Output: a.Output,
		Params: wire.List(a.Params, param),
	}
}

func modelFile(f sdk.ModelFile) *pluginpb.ModelFile {
	return &pluginpb.ModelFile{
		Name: f.Name, Embedded: f.Embedded, Precision: f.Precision, Url: f.URL, Sha256: f.SHA256, Size: f.Size,
		Licence: f.Licence, Reference: wire.List(f.Reference, metric), Note: f.Note, Part: f.Part,
	}
}

func dataset(d sdk.DatasetInfo) *pluginpb.Dataset {
	return &pluginpb.Dataset{
		Name: d.Name, Embedded: d.Embedded, Samples: int64(d.Samples),
		PerformanceSampleCount: int64(d.PerformanceSampleCount),
		Archives: wire.List(d.Archives, func(a sdk.ArchiveFile) *pluginpb.ArchiveFile {
			return &pluginpb.ArchiveFile{Name: a.Name, Url: a.URL, Sha256: a.SHA256, Size: a.Size, Unpack: a.Unpack}
		}),
		Layout: d.Layout, Licence: d.Licence, Note: d.Note, Use: d.Use,
	}
}

func metricInfo(m sdk.MetricInfo) *pluginpb.MetricInfo {
	return &pluginpb.MetricInfo{
		Name: m.Name, Unit: m.Unit, Reference: m.Reference, Target: m.Target, Upper: m.Upper, Share: m.Share,
		EmbeddedLeast: m.EmbeddedLeast, EmbeddedMost: m.EmbeddedMost, Better: better(m.Better),
	}
}

func better(b sdk.Better) pluginpb.Better {
	switch b {
	case sdk.LowerBetter:
		return pluginpb.Better_BETTER_LOWER
	case sdk.NeitherBetter:
		return pluginpb.Better_BETTER_NEITHER
	}
	return pluginpb.Better_BETTER_HIGHER
}

func metric(m sdk.Metric) *pluginpb.Metric {
	return &pluginpb.Metric{Name: m.Name, Unit: m.Unit, Value: m.Value}
}

// Score makes a score.
func Score(s sdk.Score) *pluginpb.Score {
	return &pluginpb.Score{
		Metrics: wire.List(s.Metrics, metric), Samples: int64(s.Samples), OfficialText: s.OfficialText, Notes: s.Notes,
		Parts: wire.List(s.Parts, part), Files: wire.List(s.Files, scoreFile),
		Exhibits: wire.List(s.Exhibits, exhibit),
	}
}

func exhibit(e sdk.Exhibit) *pluginpb.Exhibit {
	return &pluginpb.Exhibit{Caption: e.Caption, Text: e.Text, Png: e.PNG}
}

func scoreFile(f sdk.File) *pluginpb.ScoreFile {
	return &pluginpb.ScoreFile{Name: f.Name, Data: f.Data}
}

// Info makes what a plugin opened.
func Info(i sdk.WorkloadInfo) *pluginpb.WorkloadInfo {
	return &pluginpb.WorkloadInfo{
		Model: i.Model, ModelFile: i.ModelFile, Embedded: i.Embedded, Precision: i.Precision,
		ModelSha256: i.ModelSHA256, ModelSize: i.ModelSize, Dataset: i.Dataset, DatasetSize: int64(i.DatasetSize),
		PerformanceSampleCount: int64(i.PerformanceSampleCount), Backend: i.Backend, BackendInfo: i.BackendInfo,
		Batch: int64(i.Batch), Sessions: int64(i.Sessions), Nodes: wire.List(i.Nodes, node), ClientWork: i.ClientWork,
		Parts: wire.List(i.Parts, part), OpenReasons: i.OpenReasons,
	}
}

func partInfo(p sdk.PartInfo) *pluginpb.Part {
	return &pluginpb.Part{Name: p.Name, Optional: p.Optional, Note: p.Note}
}

func part(p sdk.PartReport) *pluginpb.PartReport {
	return &pluginpb.PartReport{
		Name: p.Name, File: p.File, Embedded: p.Embedded, Precision: p.Precision, Sha256: p.SHA256, Size: p.Size,
		Files: wire.List(p.Files, func(f sdk.FileSum) *pluginpb.FileSum {
			return &pluginpb.FileSum{Name: f.Name, Sha256: f.SHA256, Size: f.Size}
		}),
		Inputs: wire.List(p.Inputs, tensor), Outputs: wire.List(p.Outputs, tensor),
	}
}

func tensor(t sdk.Tensor) *pluginpb.Tensor {
	return &pluginpb.Tensor{Name: t.Name, Type: t.Type, Shape: t.Shape}
}

func node(n sdk.Node) *pluginpb.Node {
	return &pluginpb.Node{
		Address: n.Address, Name: n.Name, Peer: n.Peer, RoundTripP50Ns: n.RoundTripP50.Nanoseconds(),
		RoundTripP99Ns: n.RoundTripP99.Nanoseconds(), BytesPerSecond: n.BytesPerSecond,
	}
}

// Backends makes what backends say of themselves, without shares, which sessions have.
func Backends(list []sdk.BackendInfo) []*pluginpb.BackendInfo { return wire.List(list, backendInfo) }

func backendInfo(b sdk.BackendInfo) *pluginpb.BackendInfo {
	return &pluginpb.BackendInfo{
		Name: b.Name, Version: b.Version, Devices: b.Devices, Details: b.Details,
		Options: wire.List(b.Options, func(o backend.Option) *pluginpb.Param {
			return &pluginpb.Param{Name: o.Name, Default: o.Default, Help: o.Help}
		}),
	}
}

// Shares makes what each of several devices did.
func Shares(list []backend.Share) []*pluginpb.Share { return wire.List(list, share) }

// Batching makes what became of the samples; nil of nothing.
func Batching(b sdk.Batching) *pluginpb.Batching {
	if len(b.Sizes) == 0 && b.Waiting.Count == 0 && b.Model.Count == 0 {
		return nil
	}
	return &pluginpb.Batching{Waiting: times(b.Waiting), Model: times(b.Model),
		Sizes: wire.List(b.Sizes, func(s sdk.BatchSize) *pluginpb.BatchSize {
			return &pluginpb.BatchSize{Samples: uint32(s.Samples), Batches: s.Batches}
		})}
}

func times(t sdk.Times) *pluginpb.Times {
	if t.Count == 0 {
		return nil
	}
	return &pluginpb.Times{Count: t.Count, MinNs: int64(t.Min), MaxNs: int64(t.Max), MeanNs: int64(t.Mean),
		Percentiles: wire.List(t.Percentiles, func(p sdk.TimeAt) *pluginpb.TimeAt {
			return &pluginpb.TimeAt{P: p.P, Ns: int64(p.At)}
		})}
}

func share(s backend.Share) *pluginpb.Share {
	return &pluginpb.Share{Name: s.Name, Batches: s.Batches, Samples: s.Samples}
}
