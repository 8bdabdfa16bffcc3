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
	inPolicy = "inference rules of MLCommons"
	inForm   = "submission checker of MLCommons"
)

// Rule is a family of rules that findings name.
type Rule struct {
	Name   string // as in Finding.Rule, such as "seeds"; "audit-" represents all audits
	About  string // what the rules of the family require
	Source string // where they are written
	Code   string // function of this package that judges; the first if there are several
}

// families contains one row per family. It is read-only.
var families = []Rule{
	{
		Name: ruleTree, Code: "treeChecker.checkTree",
		About:  "folders and files are where the round has them",
		Source: "structure of a submission, " + inForm,
	},
	{
		Name: ruleNames, Code: "resultFolder.checkNames",
		About:  "systems, benchmarks and scenarios have names that the round knows",
		Source: "structure of a submission, " + inForm,
	},
	{
		Name: ruleFiles, Code: "resultFolder.checkFiles",
		About:  "each result has the files that it must have, and no others",
		Source: "structure of a submission, " + inForm,
	},
	{
		Name: ruleSystem, Code: "systemFolder.checkFields",
		About:  "the description of the system has each required field, and the fields agree with one another",
		Source: "required fields, " + inForm,
	},
	{
		Name: ruleMeasurements, Code: "resultFolder.checkMeasurements",
		About:  "the description of the model has each required field, and names weights that may be submitted",
		Source: "required fields, " + inForm,
	},
	{
		Name: ruleConf, Code: "resultFolder.checkUserConf",
		About:  "user.conf sets nothing that the rules fix",
		Source: inPolicy + ": Load Generator, settings",
	},
	{
		Name: ruleLogFormat, Code: "resultFolder.checkLogFormat",
		About:  "logs and JSON files can be read",
		Source: inForm,
	},
	{
		Name: ruleLoadGen, Code: "resultFolder.checkLoadGen",
		About:  "an unmodified official LoadGen of the round drove the run",
		Source: inPolicy + ": Load Generator, unmodified and of the round",
	},
	{
		Name: ruleSettings, Code: "resultFolder.checkSettings",
		About:  "the settings in the logs are those that the round has for the scenario",
		Source: inPolicy + ": Scenarios and their settings",
	},
	{
		Name: ruleSeeds, Code: "resultFolder.checkSeeds",
		About:  "the three seeds are the round's",
		Source: inPolicy + ": Random number generation",
	},
	{
		Name: ruleCounts, Code: "resultFolder.checkCounts",
		About:  "the run has as many queries and samples as the round requires; an accuracy run has the whole data set",
		Source: inPolicy + ": Benchmarks, samples and queries",
	},
	{
		Name: ruleDuration, Code: "resultFolder.checkDuration",
		About:  "the run lasts as long as the round requires",
		Source: inPolicy + ": Scenarios, minimum duration",
	},
	{
		Name: ruleValidity, Code: "resultFolder.checkValidity",
		About:  "LoadGen judged the run VALID and logged no error",
		Source: inPolicy + ": Load Generator, valid runs",
	},
	{
		Name: ruleLatency, Code: "resultFolder.checkLatency",
		About:  "the latency is within the limit of the round",
		Source: inPolicy + ": Benchmarks, latency constraints",
	},
	{
		Name: ruleMetric, Code: "resultFolder.checkMetric",
		About:  "the result is a number above 0, and the summary and the detail log agree on it",
		Source: inPolicy + ": Scenarios, metric",
	},
	{
		Name: ruleScenarios, Code: "systemFolder.checkScenarios",
		About:  "each scenario that the round requires of the system has a result",
		Source: inPolicy + ": Benchmarks, required scenarios",
	},
	{
		Name: ruleAccuracy, Code: "resultFolder.checkAccuracyText",
		About:  "each accuracy can be read, is possible, and reaches its target",
		Source: inPolicy + ": Benchmarks, quality target",
	},
	{
		Name: ruleHash, Code: "resultFolder.checkHash",
		About:  "accuracy.txt has the SHA-256 of the accuracy log",
		Source: inForm,
	},
	{
		Name: ruleTruncation, Code: "resultFolder.checkAccuracyLog",
		About:  "the accuracy log is cut short as submissions require",
		Source: inForm,
	},
	{
		Name: ruleAudit, Code: "resultFolder.checkAudits",
		About: "each required compliance test ran with its settings, kept its files and passed",
	},
	{
		Name: ruleInferred, Code: "resultFolder.checkInferred",
		About:  "a result that has no run of its own follows from a scenario from which it may follow",
		Source: inPolicy + ": Scenarios, inferred results",
	},
	{
		Name: rulePower, Code: "resultFolder.checkPower",
		About:  "the power measurement is whole, belongs to the run, and used approved meters and programs",
		Source: "power measurement rules of MLCommons",
	},
	{
		Name: ruleNetwork, Code: "resultFolder.checkNetworkSUT",
		About:  "a run went through a network in the Network division, and in no other",
		Source: inPolicy + ": Network division",
	},
	{
		Name: ruleOpen, Code: "submitterFolder.readMapping",
		About:  "an open result has an accuracy, and the mapping of models names models of the round",
		Source: inPolicy + ": Open division",
	},
	{
		Name: ruleDuplicates, Code: "treeChecker.checkDuplicates",
		About:  "each result comes from a run of its own",
		Source: "each result needs a run of its own, " + inPolicy,
	},
	{
		Name: ruleRepository, Code: "treeChecker.checkEntry",
		About:  "the tree can be stored in the repository of results",
		Source: "repository checks of MLCommons",
	},
}

// Rules returns the families of rules.
func Rules() []Rule {
	list := slices.Clone(families)
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
	at := slices.IndexFunc(families, func(r Rule) bool { return r.Name == rule })
	return families[at].Source
}
