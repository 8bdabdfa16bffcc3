package loadgen

import "slices"

// Rule is a rule that a performance run must meet to be VALID.
type Rule struct {
	Name      string // equal to Reason.Rule: "min_duration"
	Scenarios string // in which runs it applies
	Met       string // when a run meets it
	Formula   string // the same as an expression; empty if Met is complete
	Source    string // where the rule is written
	Code      string // the function of this package that evaluates it or explains its failure
}

// The names of the rules.
const (
	ruleAborted       = "aborted"
	ruleStandstill    = "standstill"
	ruleLatency       = "latency"
	ruleTTFT          = "ttft"
	ruleTPOT          = "tpot"
	ruleInterval      = "arrival_interval"
	ruleMinDuration   = "min_duration"
	ruleMinQueries    = "min_query_count"
	ruleEarlyStopping = "early_stopping"
)

// Sources of the rules.
const (
	latencyTable = "inference rules of MLCommons: Benchmarks, latency constraints"
	scenarioText = "inference rules of MLCommons: Scenarios"
	officialCode = "official LoadGen, judgement of a run"
)

// rules has a row for each rule. It is never changed.
var rules = []Rule{
	{
		Name: ruleLatency, Scenarios: "Server",
		Met:     "the latency at the target percentile is at most target_latency",
		Formula: "sorted latencies[trunc(n * target_latency_percentile)] <= target_latency",
		Source:  latencyTable, Code: "latencyReason",
	},
	{
		Name: ruleTTFT, Scenarios: "Server with token latencies",
		Met:     "the time to the first token at the target percentile is at most ttft_latency",
		Formula: "sorted (first token - due)[trunc(n * target_latency_percentile)] <= ttft_latency",
		Source:  latencyTable, Code: "tokenReasons",
	},
	{
		Name: ruleTPOT, Scenarios: "Server with token latencies",
		Met:     "the time per output token at the target percentile is at most tpot_latency",
		Formula: "sorted ((completion - first token) / (tokens - 1))[trunc(n * target_latency_percentile)] <= tpot_latency",
		Source:  latencyTable, Code: "tokenReasons",
	},
	{
		Name: ruleInterval, Scenarios: "MultiStream of v0.5 to v1.1",
		Met:     "the share of late queries is within what the target percentile leaves",
		Formula: "late queries / n <= 1 - target_latency_percentile; v0.5 counts dropped queries in both",
		Source:  scenarioText + ", MultiStream of v0.5 to v1.1", Code: "intervalReason",
	},
	{
		Name: ruleMinDuration, Scenarios: "all",
		Met: "the run lasts at least min_duration",
		Formula: "Offline: largest latency; Server: due time of the last query; else issue time of the last query " +
			">= min_duration",
		Source: scenarioText + ", minimum duration", Code: "durationReason",
	},
	{
		Name: ruleMinQueries, Scenarios: "all",
		Met:     "the run issues min_query_count queries and min_sample_count samples",
		Formula: "queries >= min_query_count, and samples >= min_sample_count",
		Source:  scenarioText + ", samples and queries", Code: "queriesReason",
	},
	{
		Name: ruleEarlyStopping, Scenarios: "all but Offline",
		Met: "there are enough queries to trust the percentile, with a confidence of 99 %",
		Formula: "P[X <= late] < 0.01 for X ~ Binomial(n, 1 - target_latency_percentile); late are queries over the " +
			"limit in Server, and those that an estimate leaves out in SingleStream and MultiStream",
		Source: "inference rules of MLCommons: early stopping", Code: "estimateOf",
	},
	{
		Name: ruleAborted, Scenarios: "all",
		Met:    "the run comes to its natural end: neither an error nor an interrupt ends it",
		Source: officialCode, Code: "invalidReasons",
	},
	{
		Name: ruleStandstill, Scenarios: "all",
		Met:    "the machine was not suspended, nor the process stopped, for more than a second of the timed part",
		Source: "Plumbline: docs/decisions/003-only-an-unmistakable-pause-makes-a-run-invalid.md", Code: "pausesReason",
	},
}

// Rules lists the rules of a VALID run.
func Rules() []Rule { return slices.Clone(rules) }
