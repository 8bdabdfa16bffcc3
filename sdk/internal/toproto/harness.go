// Package toproto makes the messages of plugin.proto of plain Go: what a harness sends (harness.go), and what a plugin
// sends (plugin.go).
package toproto

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// Options makes an Open request.
func Options(o sdk.Options) *pluginpb.OpenRequest {
	return &pluginpb.OpenRequest{
		Model: o.Model, ModelFile: o.ModelFile, Precision: o.Precision, Dataset: o.Dataset, Count: int64(o.Count),
		Scenario: Scenario(o.Scenario), Batch: int64(o.Batch), Sessions: int64(o.Sessions),
		Backend: o.Backend, BackendOptions: o.BackendOptions, Params: o.Params, Devices: o.Devices, Network: o.Network,
		PartFiles: o.PartFiles, Use: o.Use,
	}
}

// Scenario numbers a scenario as the wire does: from 1.
func Scenario(s loadgen.Scenario) pluginpb.Scenario {
	return pluginpb.Scenario(s) + pluginpb.Scenario_SCENARIO_SINGLE_STREAM
}

// ScoreOptions makes the options of a Score stream.
func ScoreOptions(o sdk.ScoreOptions) *pluginpb.ScoreOptions {
	return &pluginpb.ScoreOptions{
		Model: o.Model, Dataset: o.Dataset, Count: int64(o.Count), Params: o.Params, PartFiles: o.PartFiles,
		Memory: o.Memory, Show: o.Show, Exhibits: int64(o.Exhibits), Embedded: o.Embedded, Use: o.Use,
	}
}

// DatasetRequest makes a Dataset request.
func DatasetRequest(r sdk.DatasetRequest) *pluginpb.DatasetRequest {
	return &pluginpb.DatasetRequest{
		Model: r.Model, Action: r.Action, Name: r.Name, Input: r.Input, Output: r.Output, Params: r.Params,
	}
}

// Entry makes an entry of a Score stream, which refers to e's bytes.
func Entry(e mllog.AccuracyEntry) *pluginpb.AccuracyEntry {
	m := &pluginpb.AccuracyEntry{SeqId: e.SeqID, QslIndex: e.QSLIndex, Data: e.Data, TokenData: e.TokenData}
	if e.TokenCount >= 0 {
		m.TokenCount = &e.TokenCount
	}
	return m
}
