package mlconf

import (
	"slices"
	"strings"
)

// Checks lists how the requirements for submissions of a round differ from those of current rounds. The zero value
// means no difference.
type Checks struct {
	// TextLogs means that detail logs are in the text form and have no results. The results are in the summary.
	TextLogs bool `json:"text_logs"`
	// Forgiven contains parts of error messages that do not count as faults in such logs.
	Forgiven []string `json:"forgiven"`
	// AnySystem means that descriptions of systems contain no type and submissions may contain any scenario.
	AnySystem bool `json:"any_system"`
	OneType   bool `json:"one_type"` // a system has one type, never both
	// FieldsLater lists fields of system descriptions that only later rounds require.
	FieldsLater []string `json:"fields_later"`
	// LoosePapers means that descriptions of systems and models and the texts next to them may be empty or lack fields,
	// and that descriptions of models may be missing. The round's checker reported this but accepted the result.
	LoosePapers bool `json:"loose_papers"`
	LooseNames  bool `json:"loose_names"` // names and links of files are not checked
	WholeLogs   bool `json:"whole_logs"`  // accuracy logs are complete and their hash is not recorded
	// AuditsWherePresent means that the round's required audits and their effect on results are not known. Faults of
	// existing audits are warnings.
	AuditsWherePresent bool `json:"audits_where_present"`
	// AuditLogsUnread means that the round's checker read the verdicts of audits and not the logs of their runs.
	AuditLogsUnread bool `json:"audit_logs_unread"`
	// AuditsUnmarked means that runs of audits also got their settings by other means than an audit.config. If a log names
	// none, only its settings show the audit.
	AuditsUnmarked bool `json:"audits_unmarked"`
	// CachingNotIn lists the scenarios without TEST04.
	CachingNotIn []string `json:"caching_not_in"`
	// Zones means that times of a power measurement are in the machines' time zones and not UTC.
	Zones bool `json:"zones"`
	// OtherPowerTools means that the round had its own power tools, whose checksums are not known.
	OtherPowerTools bool `json:"other_power_tools"`
}

// Forgives reports whether the round accepts runs with an error. message is the error or LoadGen's shortened form of
// it.
func (c Checks) Forgives(message string) bool {
	return message != "" && slices.ContainsFunc(c.Forgiven, func(part string) bool {
		return strings.Contains(message, part) || strings.HasSuffix(part, message)
	})
}

// Checks returns the round's special requirements for submissions.
func (r *Rules) Checks() Checks { return r.data.Checks }

// AuditsIn returns the compliance tests of the model in a scenario.
func (r *Rules) AuditsIn(model, scenario string) []string {
	return slices.DeleteFunc(r.Audits(model), func(test string) bool {
		return slices.Contains(r.data.Checks.CachingNotIn, scenario) && IsCaching(test)
	})
}

// IsCaching reports whether a compliance test is TEST04, which consisted of two runs before v2.1, or one of these runs.
func IsCaching(test string) bool { return len(test) >= 6 && test[:6] == "TEST04" }
