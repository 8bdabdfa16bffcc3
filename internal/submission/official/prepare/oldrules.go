package prepare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// oldRules contains the rules of a round in the official tool. It uses the checker before the present one, whose tables
// differ for a few models.
type oldRules struct {
	*mlconf.Rules
	tables  oldTables
	rulesOf func(model string) *mlconf.Rules
}

// oldTables contains the differences between the tables of that checker and the rules of a round.
type oldTables struct {
	ModelsOf           map[string]string                         `json:"models_of"` // rounds whose rules it uses, by model
	Required           map[mlconf.SystemType]map[string][]string `json:"required"`
	Targets            map[string][]oldTarget                    `json:"targets"`
	PerformanceSamples map[string]uint64                         `json:"performance_samples"`
	AccuracySamples    map[string]uint64                         `json:"accuracy_samples"`
	LatencyLimit       map[string]map[string]int64               `json:"latency_limit_ns"`
	// require the model's own metric too
	ModelMetric bool `json:"model_metric"`
}

// oldTarget is a metric with its target value, written as [name, number].
type oldTarget mlconf.Target

// UnmarshalJSON reads [name, number].
func (t *oldTarget) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[2]any{&t.Metric, &t.Value})
}

// oldSection is the section of a round's file that contains the tables.
const oldSection = "old_checker"

// officialRounds returns the rounds that the tool knows, oldest first.
func officialRounds() []string {
	rounds := slices.DeleteFunc(mlconf.Rounds(), func(name string) bool {
		r, err := mlconf.Round(name)
		if err != nil {
			return true
		}
		known, _ := r.Section(oldSection, &oldTables{})
		return !known
	})
	slices.Reverse(rounds)
	return rounds
}

func openOldRules(round string) (r oldRules, err error) {
	if !slices.Contains(officialRounds(), round) {
		return r, fmt.Errorf("the official tool does not know the round %q: want one of %s", round,
			strings.Join(officialRounds(), ", "))
	}
	if r.Rules, err = mlconf.Round(round); err != nil {
		return r, err
	}
	if _, err = r.Section(oldSection, &r.tables); err != nil {
		return r, err
	}
	others := map[string]*mlconf.Rules{}
	for model, of := range r.tables.ModelsOf {
		if others[model], err = mlconf.Round(of); err != nil {
			return r, err
		}
	}
	own := r.Rules
	r.rulesOf = func(model string) *mlconf.Rules { return cmp.Or(others[model], own) }
	return r, nil
}

// modelsInOrder returns the models in the tool's order.
func modelsInOrder() []string {
	return strings.Fields(`resnet retinanet dlrm-v3 bert-99 bert-99.9 dlrm-v2-99 dlrm-v2-99.9 3d-unet-99 3d-unet-99.9
		llama3.1-8b llama3.1-8b-edge llama2-70b-99 llama2-70b-99.9 stable-diffusion-xl mixtral-8x7b llama3.1-405b rgat
		pointpainting whisper deepseek-r1 gpt-oss-120b qwen3-vl-235b-a22b wan-2.2-t2v-a14b yolo-95 yolo-99 qwen3.6-27b
		e2e-rag-qna e2e-rag-db`)
}

// modelsFor returns the models for a system type.
func (r oldRules) modelsFor(kind mlconf.SystemType) []string {
	return slices.DeleteFunc(modelsInOrder(), func(model string) bool {
		return len(r.requiredScenarios(model,
			kind)) == 0
	})
}

// requiredScenarios returns the required scenarios of a model.
func (r oldRules) requiredScenarios(model string, kind mlconf.SystemType) []string {
	if own, ok := r.tables.Required[kind][model]; ok {
		return slices.Clone(own)
	}
	return r.rulesOf(model).RequiredScenarios(model, kind)
}

// allScenarios returns all permitted scenarios of a model.
func (r oldRules) allScenarios(model string, kind mlconf.SystemType) []string {
	return append(r.requiredScenarios(model, kind), r.rulesOf(model).OptionalScenarios(model, kind)...)
}

// accuracyTargets returns the accuracy targets. It returns an error if the checker has no pattern for a metric.
func (r oldRules) accuracyTargets(model string) ([]mlconf.Target, error) {
	all := r.rulesOf(model).Targets(model, "Offline")
	if own, ok := r.tables.Targets[model]; ok {
		all = make([]mlconf.Target, len(own))
		for i, t := range own {
			all[i] = mlconf.Target(t)
		}
	}
	for _, t := range all {
		m, err := mlconf.AccuracyMetricOf(t.Metric)
		if err != nil {
			return nil, err
		}
		if m.Unprepared {
			return nil, fmt.Errorf("the old checker cannot read %s", t.Metric)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the rules have no accuracy of %s", model)
	}
	return all, nil
}

// minPerformanceSamples returns the minimum number of samples to load.
func (r oldRules) minPerformanceSamples(model string) uint64 {
	if own, ok := r.tables.PerformanceSamples[model]; ok {
		return own
	}
	return r.rulesOf(model).PerformanceSampleCount(model)
}

// minAccuracySamples returns the minimum number of samples of an accuracy run whose log contains it. For some models
// the checker has no such number and uses the performance run's.
func (r oldRules) minAccuracySamples(model string) uint64 {
	if own, ok := r.tables.AccuracySamples[model]; ok {
		return own
	}
	switch model {
	case "resnet", "retinanet", "pointpainting", "yolo-95", "yolo-99", "dlrm-v2-99", "dlrm-v2-99.9":
		return r.minPerformanceSamples(model)
	}
	return r.rulesOf(model).AccuracySampleCount(model, "Offline")
}

// minOfflineSamples returns the minimum number of samples of an Offline query. ok is false if the checker has none and
// stops.
func (r oldRules) minOfflineSamples(model string) (n uint64, ok bool) {
	switch model {
	case "dlrm-v3":
		return 34996, true
	case "qwen3-vl-235b-a22b":
		return 9660, true
	case "e2e-rag-qna", "e2e-rag-db", "pointpainting", "wan-2.2-t2v-a14b", "yolo-95", "yolo-99":
		return 0, false
	}
	n = r.OfflineSamples(model)
	return n, n > 0
}

// maxLatency returns the maximum target latency in nanoseconds; 0: none.
func (r oldRules) maxLatency(model, scenario string) int64 {
	if own, ok := r.tables.LatencyLimit[model]; ok {
		return own[scenario]
	}
	return int64(r.rulesOf(model).LatencyLimit(model, scenario))
}

// usesTokens reports whether token latencies are checked.
func (r oldRules) usesTokens(model string) bool {
	return model != "gpt-oss-120b" && r.UsesTokens(model)
}

// requiresEqualIssue reports whether all samples must be issued equally often.
func (r oldRules) requiresEqualIssue(model string) bool {
	return slices.Contains([]string{"3d-unet-99", "3d-unet-99.9", "gptj-99", "gptj-99.9", "llama2-70b-99",
		"llama2-70b-99.9", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "llama3.1-8b-edge", "deepseek-r1", "rgat",
		"whisper"}, model)
}

// auditTests returns the compliance tests of a model. The checker requires TEST01 and TEST04 for every unknown model.
func (r oldRules) auditTests(model string) []string {
	switch model {
	case "bert-99", "bert-99.9", "dlrm-v2-99", "dlrm-v2-99.9", "3d-unet-99", "3d-unet-99.9", "retinanet", "rgat",
		"whisper", "yolo-95", "yolo-99":
		return []string{"TEST01"}
	case "llama2-70b-99", "llama2-70b-99.9", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "deepseek-r1":
		return []string{"TEST06"}
	case "llama2-70b-interactive-99", "llama2-70b-interactive-99.9":
		return []string{"TEST04", "TEST06"}
	case "wan-2.2-t2v-a14b":
		return []string{"TEST04"}
	case "llama3.1-8b-edge", "qwen3-vl-235b-a22b":
		return nil
	case "dlrm-v3":
		return []string{"TEST08"}
	case "gpt-oss-120b":
		return []string{"TEST07", "TEST09"}
	}
	return []string{"TEST01", "TEST04"}
}
