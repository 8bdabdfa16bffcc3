package serve

import (
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// The plugin's half of the conversions: what it receives. The harness's half is in internal/toproto.

func optionsFrom(r *pluginpb.OpenRequest) sdk.Options {
	return sdk.Options{
		Model: r.GetModel(), ModelFile: r.GetModelFile(), Precision: r.GetPrecision(),
		Dataset: r.GetDataset(), Count: int(r.GetCount()),
		Scenario: scenarioFrom(r.GetScenario()), Batch: int(r.GetBatch()), Sessions: int(r.GetSessions()),
		Backend: r.GetBackend(), BackendOptions: r.GetBackendOptions(), Params: r.GetParams(), Devices: r.GetDevices(),
		Network: r.GetNetwork(),
	}
}

// scenarioFrom: the wire counts from 1, so that 0 is unset, which is LoadGen's default, SingleStream.
func scenarioFrom(s pluginpb.Scenario) loadgen.Scenario {
	return loadgen.Scenario(max(s, pluginpb.Scenario_SCENARIO_SINGLE_STREAM) - pluginpb.Scenario_SCENARIO_SINGLE_STREAM)
}

func scoreOptionsFrom(o *pluginpb.ScoreOptions) sdk.ScoreOptions {
	return sdk.ScoreOptions{Model: o.GetModel(), Dataset: o.GetDataset(), Count: int(o.GetCount()), Params: o.GetParams()}
}

func entryFrom(e *pluginpb.AccuracyEntry) mllog.AccuracyEntry {
	entry := mllog.AccuracyEntry{
		SeqID: e.GetSeqId(), QSLIndex: e.GetQslIndex(), Data: e.GetData(), TokenData: e.GetTokenData(), TokenCount: -1,
	}
	if e.TokenCount != nil {
		entry.TokenCount = e.GetTokenCount()
	}
	return entry
}
