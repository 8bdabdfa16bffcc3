package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// oldRules are the rules of a round as the official tool has them: it judges with the checker before the present one,
// whose tables differ in few models.
type oldRules struct {
	*mlconf.Rules
	before *mlconf.Rules // v6.0's, for a model that only this checker kept
}

// officialRounds are those that the tool knows.
func officialRounds() []string { return []string{"v5.1", "v6.0", "v6.1"} }

func openOldRules(round string) (r oldRules, err error) {
	if !slices.Contains(officialRounds(), round) {
		return r, fmt.Errorf("the official tool does not know the round %q: want one of %s", round,
			strings.Join(officialRounds(), ", "))
	}
	if r.Rules, err = mlconf.Round(round); err == nil {
		r.before, err = mlconf.Round("v6.0")
	}
	return r, err
}

// of are the rules of a model.
func (r oldRules) of(model string) *mlconf.Rules {
	if r.Name == "v6.1" && model == "llama2-70b-99" {
		return r.before
	}
	return r.Rules
}

// listed are models in the order in which the tool names them.
func listed() []string {
	return strings.Fields(`resnet retinanet dlrm-v3 bert-99 bert-99.9 dlrm-v2-99 dlrm-v2-99.9 3d-unet-99 3d-unet-99.9
		llama3.1-8b llama3.1-8b-edge llama2-70b-99 llama2-70b-99.9 stable-diffusion-xl mixtral-8x7b llama3.1-405b rgat
		pointpainting whisper deepseek-r1 gpt-oss-120b qwen3-vl-235b-a22b wan-2.2-t2v-a14b yolo-95 yolo-99 qwen3.6-27b
		e2e-rag-qna e2e-rag-db`)
}

// models are those of a type of system.
func (r oldRules) models(kind mlconf.SystemType) []string {
	return slices.DeleteFunc(listed(), func(model string) bool { return len(r.required(model, kind)) == 0 })
}

// required are the scenarios that a model must have.
func (r oldRules) required(model string, kind mlconf.SystemType) []string {
	switch {
	case r.Name == "v6.0" && kind == mlconf.Datacenter && (model == "retinanet" || model == "stable-diffusion-xl"),
		r.Name == "v6.1" && kind == mlconf.Datacenter && model == "qwen3-vl-235b-a22b":
		return []string{"Server", "Offline"}
	case r.Name == "v6.0" && kind == mlconf.Edge && model == "retinanet":
		return []string{"SingleStream", "MultiStream", "Offline"}
	case r.Name == "v6.0" && kind == mlconf.DatacenterEdge && strings.HasPrefix(model, "yolo-"):
		return nil
	}
	return r.of(model).RequiredScenarios(model, kind)
}

// scenarios are all that a model may have.
func (r oldRules) scenarios(model string, kind mlconf.SystemType) []string {
	return append(r.required(model, kind), r.of(model).OptionalScenarios(model, kind)...)
}

// targets are the accuracies to reach; an error is where the checker knows no form of a metric.
func (r oldRules) targets(model string) ([]mlconf.Target, error) {
	all := r.of(model).Targets(model, "Offline")
	if r.Name == "v6.0" && model == "dlrm-v3" {
		return []mlconf.Target{{Metric: "AUC", Value: 77.87637}}, nil
	}
	for _, t := range all {
		switch t.Metric {
		case "DLRM_NE", "DLRM_ACC", "DLRM_AUC", "vbench_score", "E2E_ACCURACY":
			return nil, fmt.Errorf("the old checker cannot read %s", t.Metric)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the rules have no accuracy of %s", model)
	}
	return all, nil
}

// performanceSamples is the least number of samples to load.
func (r oldRules) performanceSamples(model string) uint64 {
	if r.Name == "v6.0" {
		switch model {
		case "dlrm-v3":
			return 34996
		case "wan-2.2-t2v-a14b":
			return 248
		}
	}
	return r.of(model).PerformanceSampleCount(model)
}

// accuracySamples is the least number of samples of an accuracy run that says it; of some models the checker has none,
// and takes that of the performance run.
func (r oldRules) accuracySamples(model string) uint64 {
	switch model {
	case "resnet", "retinanet", "pointpainting", "yolo-95", "yolo-99", "dlrm-v2-99", "dlrm-v2-99.9":
		return r.performanceSamples(model)
	case "dlrm-v3":
		if r.Name == "v6.0" {
			return r.performanceSamples(model)
		}
	}
	return r.of(model).AccuracySampleCount(model, "Offline")
}

// offlineSamples is the least number of samples of an Offline query; ok is false where the checker stops for lack of
// one.
func (r oldRules) offlineSamples(model string) (n uint64, ok bool) {
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

// latencyLimit is the largest target latency in nanoseconds; 0: none.
func (r oldRules) latencyLimit(model, scenario string) int64 {
	if r.Name == "v6.1" && model == "qwen3-vl-235b-a22b" {
		if scenario == "Server" {
			return 60e9
		}
		return 0
	}
	return int64(r.of(model).LatencyLimit(model, scenario))
}

// usesTokens says whether latencies of tokens are looked at.
func (r oldRules) usesTokens(model string) bool {
	return model != "gpt-oss-120b" && r.UsesTokens(model)
}

// equalIssue says whether every sample must be issued equally often.
func (r oldRules) equalIssue(model string) bool {
	return slices.Contains([]string{"3d-unet-99", "3d-unet-99.9", "gptj-99", "gptj-99.9", "llama2-70b-99",
		"llama2-70b-99.9", "mixtral-8x7b", "llama3.1-405b", "llama3.1-8b", "llama3.1-8b-edge", "deepseek-r1", "rgat",
		"whisper"}, model)
}

// audits are the compliance tests of a model. The checker asks for TEST01 and TEST04 of every model it does not know.
func (r oldRules) audits(model string) []string {
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
