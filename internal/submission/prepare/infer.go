package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// MissingScenario is a required scenario that was not measured.
type MissingScenario struct {
	Scenario string // such as "Offline"
	From     string // measured scenario from which it can be inferred; empty: it must be measured
	Why      string // the rule that permits or forbids the inference
}

// Infer returns the required scenarios of a model that are missing in measured, in the rules' order, with the scenario
// from which each can be inferred. measured contains canonical names, such as "Offline". kind is the system's type. An
// inferred result is a copy of the measured scenario's folder with the missing one's name.
//
// The rules permit inference for edge systems: MultiStream from SingleStream, and Offline from SingleStream or from a
// measured MultiStream. MultiStream is preferred, because its mean covers eight samples at a time. A result in tokens
// cannot be inferred, because the logs of the stream scenarios contain only the rate of samples.
func InferMissing(rules *mlconf.Rules, model string, kind mlconf.SystemType,
	measured []string) (all []MissingScenario) {
	for _, scenario := range rules.RequiredScenarios(model, kind) {
		if slices.Contains(measured, scenario) {
			continue
		}
		m := MissingScenario{Scenario: scenario}
		m.From, m.Why = findSource(rules, model, kind, scenario, measured)
		all = append(all, m)
	}
	return all
}

// inferenceSources returns the scenarios from which a scenario can be inferred, best first.
func inferenceSources(scenario string) []string {
	switch scenario {
	case "MultiStream":
		return []string{"SingleStream"}
	case "Offline":
		return []string{"MultiStream", "SingleStream"}
	}
	return nil
}

func findSource(rules *mlconf.Rules, model string, kind mlconf.SystemType, scenario string, measured []string) (from,
	why string) {
	possible := inferenceSources(scenario)
	metric, _ := rules.Metric(model, scenario)
	switch {
	case len(possible) == 0:
		return "", fmt.Sprintf("%s is never inferred", scenario)
	case kind == mlconf.Datacenter:
		return "", "results are inferred on edge systems only"
	case strings.Contains(metric.Key, "tokens"):
		return "", fmt.Sprintf("the result of %s is in tokens, and other scenarios' logs tell the rate of samples", scenario)
	}
	for _, from := range possible {
		if slices.Contains(measured, from) {
			return from, fmt.Sprintf("the rules let edge systems infer %s from %s", scenario, from)
		}
	}
	return "", fmt.Sprintf("it could be inferred from %s, which was not measured", strings.Join(possible, " or "))
}
