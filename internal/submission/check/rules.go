package check

import (
	"slices"
	"strings"
)

// The names of rule families in findings. An audit's family is "audit-" with the test's number, such as "audit-01".
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
	policySource  = "inference rules of MLCommons"
	checkerSource = "submission checker of MLCommons"
)

// Rule is a family of rules that findings name.
type Rule struct {
	Name     string // as in Finding.Rule, such as "seeds"; "audit-" represents all audits
	Requires string // what the rules of the family require
	Source   string // where they are written
	Code     string // function of this package that judges; the first if there are several
}

// ruleFamilies contains one row per family. It is read-only.
var ruleFamilies = []Rule{
	{
		Name: ruleTree, Code: "treeChecker.checkTree",
		Requires: "folders and files are where the round has them",
		Source:   "structure of a submission, " + checkerSource,
	},
	{
		Name: ruleNames, Code: "resultFolder.checkNames",
		Requires: "systems, benchmarks and scenarios have names that the round knows",
		Source:   "structure of a submission, " + checkerSource,
	},
	{
		Name: ruleFiles, Code: "resultFolder.checkFiles",
		Requires: "each result has the files that it must have, and no others",
		Source:   "structure of a submission, " + checkerSource,
	},
	{
		Name: ruleSystem, Code: "systemFolder.checkFields",
		Requires: "the description of the system has each required field, and the fields agree with one another",
		Source:   "required fields, " + checkerSource,
	},
	{
		Name: ruleMeasurements, Code: "resultFolder.checkMeasurements",
		Requires: "the description of the model has each required field, and names weights that may be submitted",
		Source:   "required fields, " + checkerSource,
	},
	{
		Name: ruleConf, Code: "resultFolder.checkUserConf",
		Requires: "user.conf sets nothing that the rules fix",
		Source:   policySource + ": Load Generator, settings",
	},
	{
		Name: ruleLogFormat, Code: "resultFolder.checkLogFormat",
		Requires: "logs and JSON files can be read",
		Source:   checkerSource,
	},
	{
		Name: ruleLoadGen, Code: "resultFolder.checkLoadGen",
		Requires: "an unmodified official LoadGen of the round drove the run",
		Source:   policySource + ": Load Generator, unmodified and of the round",
	},
	{
		Name: ruleSettings, Code: "resultFolder.checkSettings",
		Requires: "the settings in the logs are those that the round has for the scenario",
		Source:   policySource + ": Scenarios and their settings",
	},
	{
		Name: ruleSeeds, Code: "resultFolder.checkSeeds",
		Requires: "the three seeds are the round's",
		Source:   policySource + ": Random number generation",
	},
	{
		Name: ruleCounts, Code: "resultFolder.checkCounts",
		Requires: "the run has as many queries and samples as the round requires; an accuracy run has the whole data set",
		Source:   policySource + ": Benchmarks, samples and queries",
	},
	{
		Name: ruleDuration, Code: "resultFolder.checkDuration",
		Requires: "the run lasts as long as the round requires",
		Source:   policySource + ": Scenarios, minimum duration",
	},
	{
		Name: ruleValidity, Code: "resultFolder.checkValidity",
		Requires: "LoadGen judged the run VALID and logged no error",
		Source:   policySource + ": Load Generator, valid runs",
	},
	{
		Name: ruleLatency, Code: "resultFolder.checkLatency",
		Requires: "the latency is within the limit of the round",
		Source:   policySource + ": Benchmarks, latency constraints",
	},
	{
		Name: ruleMetric, Code: "resultFolder.checkMetric",
		Requires: "the result is a number above 0, and the summary and the detail log agree on it",
		Source:   policySource + ": Scenarios, metric",
	},
	{
		Name: ruleScenarios, Code: "systemFolder.checkScenarios",
		Requires: "each scenario that the round requires of the system has a result",
		Source:   policySource + ": Benchmarks, required scenarios",
	},
	{
		Name: ruleAccuracy, Code: "resultFolder.checkAccuracyText",
		Requires: "each accuracy can be read, is possible, and reaches its target",
		Source:   policySource + ": Benchmarks, quality target",
	},
	{
		Name: ruleHash, Code: "resultFolder.checkHash",
		Requires: "accuracy.txt has the SHA-256 of the accuracy log",
		Source:   checkerSource,
	},
	{
		Name: ruleTruncation, Code: "resultFolder.checkAccuracyLog",
		Requires: "the accuracy log is cut short as submissions require",
		Source:   checkerSource,
	},
	{
		Name: ruleAudit, Code: "resultFolder.checkAudits",
		Requires: "each required compliance test ran with its settings, kept its files and passed",
	},
	{
		Name: ruleInferred, Code: "resultFolder.checkInferred",
		Requires: "a result that has no run of its own follows from a scenario from which it may follow",
		Source:   policySource + ": Scenarios, inferred results",
	},
	{
		Name: rulePower, Code: "resultFolder.checkPower",
		Requires: "the power measurement is whole, belongs to the run, and used approved meters and programs",
		Source:   "power measurement rules of MLCommons",
	},
	{
		Name: ruleNetwork, Code: "resultFolder.checkNetworkSUT",
		Requires: "a run went through a network in the Network division, and in no other",
		Source:   policySource + ": Network division",
	},
	{
		Name: ruleOpen, Code: "submitterFolder.readMapping",
		Requires: "an open result has an accuracy, and the mapping of models names models of the round",
		Source:   policySource + ": Open division",
	},
	{
		Name: ruleDuplicates, Code: "treeChecker.checkDuplicates",
		Requires: "each result comes from a run of its own",
		Source:   "each result needs a run of its own, " + policySource,
	},
	{
		Name: ruleRepository, Code: "treeChecker.checkEntry",
		Requires: "the tree can be stored in the repository of results",
		Source:   "repository checks of MLCommons",
	},
}

// Rules returns the families of rules.
func Rules() []Rule {
	list := slices.Clone(ruleFamilies)
	for i, r := range list {
		if r.Name == ruleAudit {
			list[i].Source = ruleSource(ruleAudit + "NN")
		}
	}
	return list
}

// ruleSource returns the source of a family's rules.
func ruleSource(rule string) string {
	if number, audit := strings.CutPrefix(rule, ruleAudit); audit {
		return "compliance tests of MLCommons, TEST" + number
	}
	at := slices.IndexFunc(ruleFamilies, func(r Rule) bool { return r.Name == rule })
	return ruleFamilies[at].Source
}
