package check

import (
	"maps"
	"slices"
)

// Kind names a breach that reviewers act on. Each kind occurred in published rounds. Findings of one kind may break
// several rules; findings of other faults have no kind.
type Kind string

// The kinds of breaches.
const (
	AuditOfAnother       Kind = "audit-of-another-benchmark"
	AuditAsResult        Kind = "audit-filed-as-result"
	ResultAsAudit        Kind = "result-filed-as-audit"
	AuditWithoutSettings Kind = "audit-without-its-settings"
	AuditWithoutOutput   Kind = "audit-without-output"
	ScoreApart           Kind = "audit-score-apart"
	VerdictOfOtherLogs   Kind = "verdict-of-other-logs"
	RunOfAnotherMode     Kind = "run-of-another-mode"
	LoadGenOfAnother     Kind = "loadgen-of-another-round"
	SeedsOfAnother       Kind = "seeds-of-another-round"
	IssueMode            Kind = "issue-mode"
	RunFiledTwice        Kind = "run-filed-twice"
)

// Texts of findings that have a kind.
const (
	whatOfAnother      = "the audit's run is of another benchmark"
	whatAuditAsResult  = "an audit's run is filed as the result"
	whatResultAsAudit  = "the result's own run is filed as the audit's"
	whatNoSettings     = "the run has no audit settings"
	whatOtherSettings  = "the run has other settings than the audit"
	whatNoOutput       = "the audit logged no output"
	whatScoreApart     = "the score is too far from the result's"
	whatRunsApart      = "the scores of TEST04-A and TEST04-B are too far apart"
	whatOtherLogs      = "the verdict is not of these logs"
	whatOtherMode      = "a run of another mode"
	whatEarlierLoadGen = "LoadGen is not of the round"
	whatLaterLoadGen   = "LoadGen is of a later round"
	whatOtherSeed      = "a seed is not the round's"
	whatUnequalIssue   = "equal issue mode is off"
	whatEqualIssue     = "equal issue mode is on"
	whatFiledTwice     = "the run is filed for another result too"
)

// kindsByText maps texts of findings to kinds.
var kindsByText = map[string]Kind{
	whatOfAnother: AuditOfAnother, whatAuditAsResult: AuditAsResult, whatResultAsAudit: ResultAsAudit,
	whatNoSettings: AuditWithoutSettings, whatOtherSettings: AuditWithoutSettings, whatNoOutput: AuditWithoutOutput,
	whatScoreApart: ScoreApart, whatRunsApart: ScoreApart, whatOtherLogs: VerdictOfOtherLogs,
	whatOtherMode: RunOfAnotherMode, whatOtherSeed: SeedsOfAnother,
	whatEarlierLoadGen: LoadGenOfAnother, whatLaterLoadGen: LoadGenOfAnother,
	whatUnequalIssue: IssueMode, whatEqualIssue: IssueMode, whatFiledTwice: RunFiledTwice,
}

// Breach is a kind with the texts of its findings.
type Breach struct {
	Kind  Kind
	Texts []string
}

// Breaches returns all kinds, sorted by name.
func Breaches() []Breach {
	says := map[Kind][]string{}
	for what, kind := range kindsByText {
		says[kind] = append(says[kind], what)
	}
	var all []Breach
	for _, kind := range slices.Sorted(maps.Keys(says)) {
		slices.Sort(says[kind])
		all = append(all, Breach{kind, says[kind]})
	}
	return all
}

// kindOf returns the kind of a finding, or "" if it has none. Findings about user.conf have none, because the logs show
// what actually ran.
func kindOf(rule, what string) Kind {
	if rule == ruleConf {
		return ""
	}
	return kindsByText[what]
}
