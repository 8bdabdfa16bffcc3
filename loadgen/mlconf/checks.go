package mlconf

import (
	"slices"
	"strings"
)

// Checks are what submissions of a round are held to otherwise than those of today's rounds: the zero value is today's.
type Checks struct {
	// TextLogs says that detail logs are text, and have no results: those are the summary's.
	TextLogs bool `json:"text_logs"`
	// Forgiven are parts of errors in such logs that are no faults.
	Forgiven []string `json:"forgiven"`
	// AnySystem says that descriptions of systems name no type, and any scenario may be there.
	AnySystem bool `json:"any_system"`
	OneType   bool `json:"one_type"` // a system is of one type, never of both
	// FieldsLater are fields of descriptions of systems that later rounds ask for.
	FieldsLater []string `json:"fields_later"`
	// LoosePapers says that descriptions of systems and models, and texts beside them, may have empty fields or none, and
	// that those of models may be missing: the checker of the round told of it, and took the result.
	LoosePapers bool `json:"loose_papers"`
	LooseNames  bool `json:"loose_names"` // names and links of files were not looked at
	WholeLogs   bool `json:"whole_logs"`  // accuracy logs are whole, and no hash of them is written down
	// AuditsWherePresent says that it is not known which audits the round asked for, and what of them refused a result:
	// what is wrong with those that are there is a warning.
	AuditsWherePresent bool `json:"audits_where_present"`
	// AuditLogsUnread says that the checker of the round read verdicts of audits, and not the logs of their runs.
	AuditLogsUnread bool `json:"audit_logs_unread"`
	// AuditsUnmarked says that runs of audits had their settings by other ways than an audit.config, too: where a log
	// names none, its settings alone show the audit.
	AuditsUnmarked bool `json:"audits_unmarked"`
	// CachingNotIn are the scenarios without TEST04.
	CachingNotIn []string `json:"caching_not_in"`
	// Zones says that times of a power measurement are those of the machines' zones, and not UTC.
	Zones bool `json:"zones"`
	// OtherPowerTools says that the round had power tools of its own, of which no sums are known.
	OtherPowerTools bool `json:"other_power_tools"`
}

// Forgives says whether the round takes runs with an error: message is the error, or what LoadGen cut it to.
func (c Checks) Forgives(message string) bool {
	return message != "" && slices.ContainsFunc(c.Forgiven, func(part string) bool {
		return strings.Contains(message, part) || strings.HasSuffix(part, message)
	})
}

// Checks are what the round's submissions are held to.
func (r *Rules) Checks() Checks { return r.data.Checks }

// AuditsIn are the compliance tests of the model in a scenario.
func (r *Rules) AuditsIn(model, scenario string) []string {
	return slices.DeleteFunc(r.Audits(model), func(test string) bool {
		return slices.Contains(r.data.Checks.CachingNotIn, scenario) && IsCaching(test)
	})
}

// IsCaching says whether a compliance test is TEST04, or one of the two runs that it was before v2.1.
func IsCaching(test string) bool { return len(test) >= 6 && test[:6] == "TEST04" }
