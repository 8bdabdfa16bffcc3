// Package fromproto makes plain Go of the messages of plugin.proto: what a plugin reads of a harness (harness.go), and
// what a harness reads of a plugin (plugin.go).
package fromproto

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Description reads what a plugin says of itself.
func Description(d *pluginpb.Description) sdk.Description {
	return sdk.Description{
		Name: d.GetName(), Version: d.GetVersion(), Summary: d.GetSummary(), Backends: d.GetBackends(),
		Models: wire.List(d.GetModels(), model),
	}
}

func model(m *pluginpb.Model) sdk.ModelInfo {
	return sdk.ModelInfo{
		Name: m.GetName(), Summary: m.GetSummary(), LoadGenKey: m.GetLoadgenKey(), RulesKey: m.GetRulesKey(),
		Scenarios:   wire.List(m.GetScenarios(), scenario),
		Parts:       wire.List(m.GetParts(), partInfo),
		ScorerParts: wire.List(m.GetScorerParts(), partInfo), ScorerFiles: wire.List(m.GetScorerFiles(), modelFile),
		Files:    wire.List(m.GetFiles(), modelFile),
		Datasets: wire.List(m.GetDatasets(), dataset),
		Metrics:  wire.List(m.GetMetrics(), metricInfo),
		Params:   wire.List(m.GetParams(), param),
		Smoke: wire.List(m.GetSmoke(), func(s *pluginpb.SmokeSetting) sdk.SmokeSetting {
			return sdk.SmokeSetting{Scenario: scenario(s.GetScenario()), Key: s.GetKey(), Value: s.GetValue()}
		}),
		DatasetActions: wire.List(m.GetDatasetActions(), datasetAction),
	}
}

func param(p *pluginpb.Param) sdk.ParamInfo {
	return sdk.ParamInfo{Name: p.GetName(), Default: p.GetDefault(), Help: p.GetHelp()}
}

func datasetAction(a *pluginpb.DatasetAction) sdk.DatasetAction {
	return sdk.DatasetAction{
		Action: a.GetAction(), Name: a.GetName(), Summary: a.GetSummary(), Input: a.GetInput(), Output: a.GetOutput(),
		Params: wire.List(a.GetParams(), param),
	}
}

func scenario(s pluginpb.Scenario) loadgen.Scenario {
	return loadgen.Scenario(s - pluginpb.Scenario_SCENARIO_SINGLE_STREAM)
}

func modelFile(f *pluginpb.ModelFile) sdk.ModelFile {
	return sdk.ModelFile{
		Name: f.GetName(), Embedded: f.GetEmbedded(), Precision: f.GetPrecision(), URL: f.GetUrl(), SHA256: f.GetSha256(),
		Size: f.GetSize(), Licence: f.GetLicence(), Reference: wire.List(f.GetReference(),
			metric), Note: f.GetNote(), Part: f.GetPart(),
	}
}

func dataset(d *pluginpb.Dataset) sdk.DatasetInfo {
	return sdk.DatasetInfo{
		Name: d.GetName(), Embedded: d.GetEmbedded(), Samples: int(d.GetSamples()),
		PerformanceSampleCount: int(d.GetPerformanceSampleCount()),
		Archives: wire.List(d.GetArchives(), func(a *pluginpb.ArchiveFile) sdk.ArchiveFile {
			return sdk.ArchiveFile{Name: a.GetName(), URL: a.GetUrl(), SHA256: a.GetSha256(), Size: a.GetSize(),
				Unpack: a.GetUnpack()}
		}),
		Layout: d.GetLayout(), Licence: d.GetLicence(), Note: d.GetNote(), Use: d.GetUse(),
	}
}

func metricInfo(m *pluginpb.MetricInfo) sdk.MetricInfo {
	return sdk.MetricInfo{
		Name: m.GetName(), Unit: m.GetUnit(), Reference: m.GetReference(), Target: m.GetTarget(), Upper: m.GetUpper(),
		Share: m.GetShare(), EmbeddedLeast: m.GetEmbeddedLeast(), EmbeddedMost: m.GetEmbeddedMost(),
		Better: better(m.GetBetter()),
	}
}

func better(b pluginpb.Better) sdk.Better {
	switch b {
	case pluginpb.Better_BETTER_LOWER:
		return sdk.LowerBetter
	case pluginpb.Better_BETTER_NEITHER:
		return sdk.NeitherBetter
	}
	return sdk.HigherBetter
}

func metric(m *pluginpb.Metric) sdk.Metric {
	return sdk.Metric{Name: m.GetName(), Unit: m.GetUnit(), Value: m.GetValue()}
}

// Info reads what a plugin opened.
func Info(i *pluginpb.WorkloadInfo) sdk.WorkloadInfo {
	return sdk.WorkloadInfo{
		Model: i.GetModel(), ModelFile: i.GetModelFile(), Embedded: i.GetEmbedded(), Precision: i.GetPrecision(),
		ModelSHA256: i.GetModelSha256(), ModelSize: i.GetModelSize(), Dataset: i.GetDataset(),
		DatasetSize: int(i.GetDatasetSize()), PerformanceSampleCount: int(i.GetPerformanceSampleCount()),
		Backend: i.GetBackend(), BackendInfo: i.GetBackendInfo(), Batch: int(i.GetBatch()), Sessions: int(i.GetSessions()),
		Nodes: wire.List(i.GetNodes(), node), ClientWork: i.GetClientWork(),
		Parts: wire.List(i.GetParts(), part), OpenReasons: i.GetOpenReasons(),
	}
}

func partInfo(p *pluginpb.Part) sdk.PartInfo {
	return sdk.PartInfo{Name: p.GetName(), Optional: p.GetOptional(), Note: p.GetNote()}
}

func part(p *pluginpb.PartReport) sdk.PartReport {
	return sdk.PartReport{
		Name: p.GetName(), File: p.GetFile(), Embedded: p.GetEmbedded(), Precision: p.GetPrecision(),
		SHA256: p.GetSha256(), Size: p.GetSize(),
		Files: wire.List(p.GetFiles(), func(f *pluginpb.FileSum) sdk.FileSum {
			return sdk.FileSum{Name: f.GetName(), SHA256: f.GetSha256(), Size: f.GetSize()}
		}),
		Inputs: wire.List(p.GetInputs(), tensor), Outputs: wire.List(p.GetOutputs(), tensor),
	}
}

func tensor(t *pluginpb.Tensor) sdk.Tensor {
	return sdk.Tensor{Name: t.GetName(), Type: t.GetType(), Shape: t.GetShape()}
}

func node(n *pluginpb.Node) sdk.Node {
	return sdk.Node{
		Address: n.GetAddress(), Name: n.GetName(), Peer: n.GetPeer(), RoundTripP50: time.Duration(n.GetRoundTripP50Ns()),
		RoundTripP99: time.Duration(n.GetRoundTripP99Ns()), BytesPerSecond: n.GetBytesPerSecond(),
	}
}

// Score reads a score.
func Score(s *pluginpb.Score) sdk.Score {
	return sdk.Score{
		Metrics: wire.List(s.GetMetrics(), metric), Samples: int(s.GetSamples()), OfficialText: s.GetOfficialText(),
		Notes: s.GetNotes(), Parts: wire.List(s.GetParts(), part), Files: wire.List(s.GetFiles(), scoreFile),
		Exhibits: wire.List(s.GetExhibits(), exhibit),
	}
}

func exhibit(e *pluginpb.Exhibit) sdk.Exhibit {
	return sdk.Exhibit{Caption: e.GetCaption(), Text: e.GetText(), PNG: e.GetPng()}
}

func scoreFile(f *pluginpb.ScoreFile) sdk.File { return sdk.File{Name: f.GetName(), Data: f.GetData()} }

// Backends reads what the backends say of themselves.
func Backends(list []*pluginpb.BackendInfo) []sdk.BackendInfo {
	return wire.List(list, func(b *pluginpb.BackendInfo) sdk.BackendInfo {
		return sdk.BackendInfo{Name: b.GetName(), Info: backend.Info{
			Version: b.GetVersion(), Devices: b.GetDevices(), Details: b.GetDetails(),
			Options: wire.List(b.GetOptions(), func(p *pluginpb.Param) backend.Option {
				return backend.Option{Name: p.GetName(), Default: p.GetDefault(), Help: p.GetHelp()}
			}),
		}}
	})
}

// Shares reads what each of several devices did.
func Shares(list []*pluginpb.Share) []backend.Share {
	return wire.List(list, func(s *pluginpb.Share) backend.Share {
		return backend.Share{Name: s.GetName(), Batches: s.GetBatches(), Samples: s.GetSamples()}
	})
}

// Batching reads what became of the samples.
func Batching(b *pluginpb.Batching) sdk.Batching {
	return sdk.Batching{Waiting: times(b.GetWaiting()), Model: times(b.GetModel()),
		Sizes: wire.List(b.GetSizes(), func(s *pluginpb.BatchSize) sdk.BatchSize {
			return sdk.BatchSize{Samples: int(s.GetSamples()), Batches: s.GetBatches()}
		})}
}

func times(t *pluginpb.Times) sdk.Times {
	return sdk.Times{Count: t.GetCount(), Min: time.Duration(t.GetMinNs()), Max: time.Duration(t.GetMaxNs()),
		Mean: time.Duration(t.GetMeanNs()), Percentiles: wire.List(t.GetPercentiles(), func(p *pluginpb.TimeAt) sdk.TimeAt {
			return sdk.TimeAt{P: p.GetP(), At: time.Duration(p.GetNs())}
		})}
}
