package check

import "strings"

// The rule families, as findings name them. Those of audits are "audit-" and the test's number: "audit-01".
const (
	ruleTree         = "tree"
	ruleNames        = "names"
	ruleFiles        = "files"
	ruleSystem       = "system"
	ruleMeasurements = "measurements"
	ruleConf         = "conf"
	ruleLogFormat    = "log-format"
	ruleLoadGen      = "loadgen"
	ruleSettings     = "settings"
	ruleSeeds        = "seeds"
	ruleCounts       = "counts"
	ruleDuration     = "duration"
	ruleValidity     = "validity"
	ruleLatency      = "latency"
	ruleMetric       = "metric"
	ruleScenarios    = "scenarios"
	ruleAccuracy     = "accuracy"
	ruleHash         = "hash"
	ruleTruncation   = "truncation"
	ruleAudit        = "audit-"
	ruleInferred     = "inferred"
	rulePower        = "power"
	ruleNetwork      = "network"
	ruleOpen         = "open"
	ruleDuplicates   = "duplicates"
	ruleRepository   = "repository"
)

const (
	inPolicy = "inference rules of MLCommons"
	inForm   = "submission checker of MLCommons"
)

// sources says where each family is written down.
func ruleSource(rule string) string {
	if strings.HasPrefix(rule, ruleAudit) {
		return "compliance tests of MLCommons, TEST" + strings.TrimPrefix(rule, ruleAudit)
	}
	switch rule {
	case ruleTree, ruleNames, ruleFiles:
		return "structure of a submission, " + inForm
	case ruleSystem, ruleMeasurements:
		return "required fields, " + inForm
	case ruleLogFormat, ruleTruncation, ruleHash:
		return inForm
	case ruleRepository:
		return "repository checks of MLCommons"
	case ruleDuplicates:
		return "each result needs a run of its own, " + inPolicy
	case rulePower:
		return "power measurement rules of MLCommons"
	}
	return inPolicy + ": " + sections[rule]
}

// sections are the headings of the inference rules' text.
var sections = map[string]string{
	ruleConf:      "Load Generator, settings",
	ruleLoadGen:   "Load Generator, unmodified and of the round",
	ruleSettings:  "Scenarios and their settings",
	ruleSeeds:     "Random number generation",
	ruleCounts:    "Benchmarks, samples and queries",
	ruleDuration:  "Scenarios, minimum duration",
	ruleValidity:  "Load Generator, valid runs",
	ruleLatency:   "Benchmarks, latency constraints",
	ruleMetric:    "Scenarios, metric",
	ruleScenarios: "Benchmarks, required scenarios",
	ruleAccuracy:  "Benchmarks, quality target",
	ruleInferred:  "Scenarios, inferred results",
	ruleNetwork:   "Network division",
	ruleOpen:      "Open division",
}
