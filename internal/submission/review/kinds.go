package review

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// kind describes a kind of findings.
type kind struct {
	id    string
	title string
	ask   string // question to the submitter
	// cause states that findings of this kind cause other findings on the same run.
	cause bool
}

// breachKinds lists the kinds defined by package check, by weight. A cause precedes its consequences.
var breachKinds = []kind{
	{string(check.AuditOfAnother), "an audit is of another benchmark", "Ask for an audit of this result.", true},
	{string(check.ResultAsAudit), "the result's own run is filed as its audit", "Ask for an audit of this result.", true},
	{string(check.AuditAsResult), "an audit's run is filed as the result",
		"Ask for the performance run: this one logged outputs, or chose its samples.", true},
	{string(check.RunOfAnotherMode), "a run is of another mode than its folder",
		"Ask for the run that belongs there: an accuracy is that of an accuracy run.", true},
	{string(check.RunFiledTwice), "one run is filed for two results", "Ask which of them was measured.", false},
	{string(check.ScoreApart), "an audit's performance is far from the published one",
		"Ask for audits of the run that is published, or for the run that was audited.", true},
	{string(check.VerdictOfOtherLogs), "an audit's verdict is not of the logs beside it",
		"Ask whether the result was replaced after its audits were verified.", false},
	{string(check.AuditWithoutOutput), "an audit logged no output", "Ask for the audit: it tested nothing.", false},
	{string(check.AuditWithoutSettings), "an audit ran without its settings",
		"Ask for a run with the audit.config of the test.", false},
	{string(check.IssueMode), "samples were not issued as the scenario wants", "Ask for a run with the rules' settings.",
		false},
	{string(check.LoadGenOfAnother), "LoadGen is of another round", "Ask why, or for a run with the round's LoadGen.",
		false},
	{string(check.SeedsOfAnother), "seeds are not the round's",
		"Ask for a run with the round's seeds; those of an accuracy run decide nothing.", false},
}

// otherKinds lists the kinds of rejected runs and audits that package check does not define, by rule.
var otherKinds = []kind{
	{logsKind, "a log is missing or cannot be read, and its run is not judged", "Ask for the log.", false},
	{"validity", "a run is not valid", "Ask for a valid run.", false},
	{"latency", "a latency is over its limit, or was not measured", "Ask for a run within the limit.", false},
	{"duration", "a run is too short", "Ask for a run of ten minutes.", false},
	{"counts", "a run has too few samples", "Ask for a run over as many as the rules want.", false},
	{"metric", "the result is not that of its logs", "Ask for the logs of one run.", false},
	{"accuracy", "an accuracy is below its target, or not shown", "Ask for the accuracy run.", false},
	{"settings", "a run has other settings than the rules'", "Ask for a run with the rules' settings.", false},
	{"loadgen", "LoadGen is not the official one", "Ask for a run with LoadGen as it was published.", false},
	{"audit", "an audit is missing or does not hold", "Ask for the audit.", false},
	{"inferred", "a result may not be inferred from its run", "Ask for a run of the scenario.", false},
	{"power", "a power measurement does not hold", "Ask for the session's files.", false},
	{"scenarios", "a scenario is missing, or not one of the benchmark", "Ask for its result.", false},
	{"duplicates", "a result is there twice", "Ask which folder counts.", false},
}

// formRules lists the rules on files and on texts by people. Rejects by these rules are folded.
var formRules = []string{"tree", "names", "files", "system", "measurements", "conf", "hash", "truncation", "repository",
	"network", "open"}

// logsKind is the kind of missing and unreadable logs, whose content is unknown.
const logsKind = "logs"

// auditRulePrefix is the prefix of rules on audits.
const auditRulePrefix = "audit-"

// kindsInOrder lists all kinds in the order of the report.
var kindsInOrder = slices.Concat(breachKinds, otherKinds)

// kindOf returns the kind of a finding to act on. ok is false for findings that are folded.
func kindOf(f check.Finding) (k kind, ok bool) {
	if f.Kind != "" {
		return kindByID(breachKinds, string(f.Kind)), true
	}
	rule := f.Rule
	name := path.Base(f.Path)
	switch {
	case strings.HasPrefix(rule, auditRulePrefix):
		rule = "audit"
	case rule == "log-format", rule == "files" && (name == tree.DetailLog || name == tree.SummaryLog):
		rule = logsKind
	}
	if f.Severity != check.Reject || slices.Contains(formRules, rule) {
		return kind{}, false
	}
	return kindByID(otherKinds, rule), true
}

// kindByID returns the kind with an id. For an unknown id it returns a new kind.
func kindByID(list []kind, id string) kind {
	if i := slices.IndexFunc(list, func(k kind) bool { return k.id == id }); i >= 0 {
		return list[i]
	}
	return kind{id: id, title: "a rule is broken", ask: "Ask for what the rule wants."}
}
