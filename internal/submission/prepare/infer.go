package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Missing is a scenario that was not measured.
type Missing struct {
	Scenario string // "Offline"
	From     string // the measured scenario whose result may stand for it; empty: it must be measured
	Why      string // the rule, or what it forbids
}

// Infer lists the required scenarios of a model that are not among the measured ones (canonical names: "Offline"), in
// the rules' order, and for each whether it may be inferred, and of which. Where it may, a copy of the measured
// scenario's folder under the missing one's name is its result. kind is the system's type.
//
// By the rules edge submitters may infer MultiStream from SingleStream, and Offline from SingleStream or a measured
// MultiStream. MultiStream is preferred: its mean is over eight samples at once. A result in tokens cannot be inferred:
// the logs of the streams have the rate of samples.
func Infer(rules *mlconf.Rules, model string, kind mlconf.SystemType, measured []string) (all []Missing) {
	for _, scenario := range rules.RequiredScenarios(model, kind) {
		if slices.Contains(measured, scenario) {
			continue
		}
		m := Missing{Scenario: scenario}
		m.From, m.Why = findSource(rules, model, kind, scenario, measured)
		all = append(all, m)
	}
	return all
}

// inferenceSources are the scenarios that others may be inferred from, the better ones first.
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
