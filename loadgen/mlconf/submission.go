package mlconf

import (
	"slices"
	"strings"
	"time"
)

// submissionFacts are the embedded facts that submissions of all rounds from v5.0 on share, by the rules' name of the
// model.
type submissionFacts struct {
	OfflineSamples map[string]uint64                 `json:"offline_samples"`
	TokenModels    []string                          `json:"token_models"`
	TokenLimits    map[string]map[string]TokenLimits `json:"token_limits"` // by scenario
}

// TokenLimits are the largest 99th percentiles of a model that generates tokens.
type TokenLimits struct {
	FirstToken time.Duration `json:"first_token_ns"`
	PerToken   time.Duration `json:"per_token_ns"`
}

// AccuracyFiles are outputs of an accuracy run that a submission has to show: one file for each of some samples.
type AccuracyFiles struct {
	Folder  string   `json:"folder"`  // in the accuracy run's: "images", "videos"
	Samples []uint64 `json:"samples"` // the files' names without their endings
}

// ModelOf is the rules' model of a benchmark folder's name, and how it was found: by its name or an alias, by the
// submitter's own mapping (may be nil), or guessed from a part of the name ("my-resnet50-v2"). A name that fits none of
// them is returned as it is.
func (r *Rules) ModelOf(folder string, mapping map[string]string) (model string, guessed bool) {
	if r.listed(folder) {
		return folder, false
	}
	if name, ok := r.data.Aliases[folder]; ok {
		return name, false
	}
	if name := mapping[folder]; name != "" {
		return name, false
	}
	name := r.Canonical(guess(folder))
	return name, name != folder
}

func (r *Rules) listed(model string) bool {
	m, ok := r.data.Models[model]
	return ok && !m.Unlisted
}

// guess is a model's name in a longer name.
func guess(name string) string {
	for _, part := range []struct{ in, model string }{
		{"mobilenet", "resnet"}, {"efficientnet", "resnet"}, {"resnet50", "resnet"},
		{"bert-99.9", "bert-99.9"}, {"bert-99", "bert-99"}, {"llama3_1-405b", "llama3.1-405b"},
	} {
		if strings.Contains(name, part.in) {
			return part.model
		}
	}
	return name
}

// OfflineSamples is the least number of samples of an Offline query; 0 where the rules name none.
func (r *Rules) OfflineSamples(model string) uint64 {
	return r.facts.OfflineSamples[r.Canonical(model)]
}

// UsesTokens says whether the model generates tokens: its runs log the latencies of tokens.
func (r *Rules) UsesTokens(model string) bool {
	return slices.Contains(r.facts.TokenModels, r.Canonical(model))
}

// TokenLimits are the limits of a model in Server or Interactive, below which the 99th percentiles must be; ok is false
// where there are none.
func (r *Rules) TokenLimits(model, scenario string) (limits TokenLimits, ok bool) {
	limits, ok = r.facts.TokenLimits[r.Canonical(model)][scenario]
	return limits, ok
}

// AccuracyFiles are the outputs that a submission of the model shows in this round; ok is false where it shows none.
func (r *Rules) AccuracyFiles(model string) (files AccuracyFiles, ok bool) {
	files, ok = r.data.AccuracyFiles[r.Canonical(model)]
	return files, ok
}

// LoadGenModel is the name under which LoadGen's configuration knows a model of the rules: "resnet50" for "resnet",
// "llama3_1-8b-interactive" for "llama3.1-8b" in Interactive.
func (r *Rules) LoadGenModel(model, scenario string) string {
	name := r.Canonical(model)
	if name == "resnet" {
		name = "resnet50"
	}
	for _, accuracy := range []string{"-99.9", "-99", "-95"} {
		name = strings.TrimSuffix(name, accuracy)
	}
	name = strings.Replace(name, "llama3.1", "llama3_1", 1)
	if scenario == Interactive && !strings.HasSuffix(name, "-interactive") {
		name += "-interactive"
	}
	return name
}

// Interactive is a scenario of submissions. LoadGen runs it as Server.
const Interactive = "Interactive"

// ScenarioOf is the scenario that a run counts as: Interactive where it is one of Server under the limits of
// LoadGen's models "...-interactive", else what LoadGen calls it.
func ScenarioOf(scenario, loadGenModel string) string {
	if scenario == "Server" && strings.HasSuffix(loadGenModel, "-interactive") {
		return Interactive
	}
	return scenario
}
