package check

import "github.com/plumbline-ml/plumbline/loadgen/mlconf"

// Unjudged is a rule of the round that the check does not apply.
type Unjudged struct {
	Rule string `json:"rule"` // family of the rule
	What string `json:"what"` // what is not judged
	Why  string `json:"why"`
}

// undefinedRules lists rules that some rounds leave undefined, with a test for the rounds that define them.
var undefinedRules = []struct {
	Unjudged
	in func(rules *mlconf.Rules) bool
}{
	{Unjudged{ruleLoadGen, "whether LoadGen is the round's", "logs of the round name no version that tells it"},
		func(r *mlconf.Rules) bool { return r.LoadGenMajor() == 0 }},
	{Unjudged{ruleCounts, "whether accuracy runs are over the whole data set", "the round has no table of their sizes"},
		func(r *mlconf.Rules) bool { return !hasDataset(r) }},
	{Unjudged{ruleScenarios, "whether a scenario is missing", "the round asks for none of them"},
		func(r *mlconf.Rules) bool { return r.Checks().AnySystem }},
	{Unjudged{ruleAudit, "whether an audit is missing, or refuses a result",
		"it is not known what the round asked of them"},
		func(r *mlconf.Rules) bool { return r.Checks().AuditsWherePresent }},
	{Unjudged{rulePower, "whether programs and meters of power measurements are the official ones",
		"the checksums and versions of the round are not known"},
		func(r *mlconf.Rules) bool { return r.Checks().OtherPowerTools }},
}

// notJudged returns the rules that the round leaves undefined.
func notJudged(rules *mlconf.Rules) []Unjudged {
	var list []Unjudged
	for _, u := range undefinedRules {
		if u.in(rules) {
			list = append(list, u.Unjudged)
		}
	}
	return list
}

// hasDataset reports whether the round defines the size of a data set.
func hasDataset(rules *mlconf.Rules) bool {
	for _, model := range rules.Models() {
		if rules.AccuracySampleCount(model, "") > 0 {
			return true
		}
	}
	return false
}
