package mlconf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// submissionFacts contains the embedded facts that submissions of all rounds share, by the rules' name of the model.
type submissionFacts struct {
	OfflineSamples map[string]uint64                 `json:"offline_samples"`
	TokenModels    []string                          `json:"token_models"`
	TokenLimits    map[string]map[string]TokenLimits `json:"token_limits"` // by scenario
}

// TokenLimits contains the maximum 99th percentiles of a model that generates tokens.
type TokenLimits struct {
	FirstToken time.Duration `json:"first_token_ns"`
	PerToken   time.Duration `json:"per_token_ns"`
}

// AccuracyFiles describes the outputs of an accuracy run that a submission must contain: one file for each of some
// samples.
type AccuracyFiles struct {
	Folder  string   `json:"folder"`  // in the accuracy run's folder: "images", "videos"
	Samples []uint64 `json:"samples"` // the files' names without their extensions
}

// ModelOf returns the rules' model of a benchmark folder's name. It tries the model's name, an alias, the submitter's
// own mapping (may be nil) and, last, a guess from a part of the name ("my-resnet50-v2"). guessed reports a guess. If
// all fail, it returns the name unchanged.
func (r *Rules) ModelOf(folder string, mapping map[string]string) (model string, guessed bool) {
	if r.isListed(folder) {
		return folder, false
	}
	if name, ok := r.data.Aliases[folder]; ok {
		return name, false
	}
	if name := mapping[folder]; name != "" {
		return name, false
	}
	name := r.Canonical(r.Guess(folder))
	return name, name != folder
}

func (r *Rules) isListed(model string) bool {
	m, ok := r.data.Models[model]
	return ok && !m.Unlisted
}

// Guess returns the model that a part of a folder's name suggests, without resolving aliases. It returns the name if no
// part fits.
func (r *Rules) Guess(name string) string {
	parts := r.data.Guesses
	if parts == nil {
		parts = [][2]string{
			{"mobilenet", "resnet"}, {"efficientnet", "resnet"}, {"resnet50", "resnet"},
			{"bert-99.9", "bert-99.9"}, {"bert-99", "bert-99"}, {"llama3_1-405b", "llama3.1-405b"},
		}
	}
	for _, part := range parts {
		if strings.Contains(name, part[0]) {
			return part[1]
		}
	}
	return name
}

// OfflineSamples returns the minimum number of samples of an Offline query, or 0 if the rules have none.
func (r *Rules) OfflineSamples(model string) uint64 {
	model, own := r.Canonical(model), r.data.OfflineSamples
	return cmp.Or(own[model], own["*"], r.facts.OfflineSamples[model])
}

// UsesTokens reports whether the model generates tokens. Its runs log the latencies of tokens.
func (r *Rules) UsesTokens(model string) bool {
	return slices.Contains(r.facts.TokenModels, r.Canonical(model))
}

// TokenLimits returns the limits of a model's 99th percentiles in Server or Interactive. The percentiles must be below
// them. ok is false if there are none.
func (r *Rules) TokenLimits(model, scenario string) (limits TokenLimits, ok bool) {
	limits, ok = r.facts.TokenLimits[r.Canonical(model)][scenario]
	return limits, ok
}

// AccuracyFiles returns the outputs that a submission of the model must contain in this round. ok is false if there are
// none.
func (r *Rules) AccuracyFiles(model string) (files AccuracyFiles, ok bool) {
	files, ok = r.data.AccuracyFiles[r.Canonical(model)]
	return files, ok
}

// LoadGenModel returns the name of a model in LoadGen's configuration: "resnet50" for "resnet",
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

// ScenarioOf returns the scenario of a run in submissions: Interactive if the run is a Server run of a LoadGen model
// "...-interactive", otherwise LoadGen's scenario.
func ScenarioOf(scenario, loadGenModel string) string {
	if scenario == "Server" && strings.HasSuffix(loadGenModel, "-interactive") {
		return Interactive
	}
	return scenario
}

// fixedSeeds contains the seeds of TEST05 in rounds that define no others.
var fixedSeeds = Seeds{QSL: 313588358309856706, SampleIndex: 471397156132239067, Schedule: 413914573387865862}

// OtherSeeds returns the seeds of TEST05: the round's second ones, or before v3.0 three fixed ones. ok is false if the
// round has no such test.
func (r *Rules) OtherSeeds() (seeds Seeds, ok bool) {
	switch features := r.data.Features.Audits; features.OtherSeeds {
	case SecondSeeds:
		number := func(key string) uint64 {
			n, _ := strconv.ParseUint(r.data.Settings[key]["*"]["*"].String(), 10, 64) // rulesFile checks that they are numbers
			return n
		}
		return Seeds{number("test05_qsl_rng_seed"), number("test05_sample_index_rng_seed"),
			number("test05_schedule_rng_seed")}, true
	case FixedSeeds:
		if features.FixedSeeds != nil {
			return *features.FixedSeeds, true
		}
		return fixedSeeds, true
	}
	return Seeds{}, false
}
