package fromproto

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// Options reads an Open request.
func Options(r *pluginpb.OpenRequest) sdk.Options {
	return sdk.Options{
		Model: r.GetModel(), ModelFile: r.GetModelFile(), Precision: r.GetPrecision(),
		Dataset: r.GetDataset(), Count: int(r.GetCount()),
		Scenario: openScenario(r.GetScenario()), Batch: int(r.GetBatch()), Sessions: int(r.GetSessions()),
		Backend: r.GetBackend(), BackendOptions: r.GetBackendOptions(), Params: r.GetParams(), Devices: r.GetDevices(),
		Network: r.GetNetwork(), PartFiles: r.GetPartFiles(), Use: r.GetUse(),
	}
}

// openScenario: 0 is unset, which is LoadGen's default, SingleStream.
func openScenario(s pluginpb.Scenario) loadgen.Scenario {
	return scenario(max(s, pluginpb.Scenario_SCENARIO_SINGLE_STREAM))
}

// ScoreOptions reads the options of a Score stream.
func ScoreOptions(o *pluginpb.ScoreOptions) sdk.ScoreOptions {
	return sdk.ScoreOptions{
		Model: o.GetModel(), Dataset: o.GetDataset(), Count: int(o.GetCount()), Params: o.GetParams(),
		PartFiles: o.GetPartFiles(), Memory: o.GetMemory(), Show: o.GetShow(),
		Exhibits: int(o.GetExhibits()), Embedded: o.GetEmbedded(), Use: o.GetUse(),
	}
}

// DatasetRequest reads a Dataset request.
func DatasetRequest(r *pluginpb.DatasetRequest) sdk.DatasetRequest {
	return sdk.DatasetRequest{
		Model: r.GetModel(), Action: r.GetAction(), Name: r.GetName(), Input: r.GetInput(), Output: r.GetOutput(),
		Params: r.GetParams(),
	}
}

// Entry reads an entry of a Score stream, whose bytes it refers to.
func Entry(e *pluginpb.AccuracyEntry) mllog.AccuracyEntry {
	entry := mllog.AccuracyEntry{
		SeqID: e.GetSeqId(), QSLIndex: e.GetQslIndex(), Data: e.GetData(), TokenData: e.GetTokenData(), TokenCount: -1,
	}
	if e.TokenCount != nil {
		entry.TokenCount = e.GetTokenCount()
	}
	return entry
}
