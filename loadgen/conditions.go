package loadgen

// condition is a condition of a VALID run: all that the verdict, the logs and the reasons have of it.
type condition struct {
	met func(r *Result) *bool // where the Result has it
	// judge decides whether it is met; nil: the scenario does, with the metrics.
	judge      func(p *series, r *Result) bool
	shown      func(r *Result) bool // whether the logs have it; nil: always
	key, label string               // in the detail log, and in the summary
	// texts are the official advice where it is not met; nil: there is none. reasons are ours.
	texts   func(r *Result) []failing
	reasons func(p *series, r *Result) []Reason
}

// conditions lists them in the order of the logs. Nothing changes it.
var conditions = []condition{
	{
		met: func(r *Result) *bool { return &r.PerformanceConstraintsMet },
		key: "result_perf_constraints_met", label: "Performance constraints satisfied",
		shown: func(r *Result) bool { return r.kind().limited(r) },
		texts: limitTexts, reasons: limitReasons,
	},
	{
		met: func(r *Result) *bool { return &r.MinDurationMet },
		key: "result_min_duration_met", label: "Min duration satisfied",
		judge: func(p *series, r *Result) bool {
			judged, _ := r.kind().duration(p, r)
			return judged >= r.Effective.MinDuration
		},
		texts:   func(r *Result) []failing { return []failing{oneText(r.kind().durationText())} },
		reasons: func(p *series, r *Result) []Reason { return []Reason{durationReason(p, r)} },
	},
	{
		met: func(r *Result) *bool { return &r.MinQueriesMet },
		key: "result_min_queries_met", label: "Min queries satisfied",
		judge: func(_ *series, r *Result) bool {
			return r.QueryCount >= r.Effective.MinQueryCount && r.SampleCount >= r.Effective.MinSampleCount
		},
		texts: func(*Result) []failing {
			return []failing{{reason: textQueries, summary: textQueries + "\n" + textQueriesWhere}}
		},
		reasons: func(p *series, r *Result) []Reason { return []Reason{queriesReason(p, r)} },
	},
	{
		met: func(r *Result) *bool { return &r.EarlyStoppingMet },
		key: "early_stopping_met", label: "Early stopping satisfied",
		judge:   func(_ *series, r *Result) bool { return r.EarlyStopping.Met },
		shown:   func(r *Result) bool { return !r.Effective.NoEarlyStopping },
		reasons: func(p *series, r *Result) []Reason { return []Reason{r.kind().earlyStoppingReason(p, r)} },
	},
}

// shownIn lists the conditions that the logs of a run have.
func shownIn(r *Result) []condition {
	var list []condition
	for _, c := range conditions {
		if c.shown == nil || c.shown(r) {
			list = append(list, c)
		}
	}
	return list
}

// unmet lists the conditions that a run does not meet.
func unmet(r *Result) []condition {
	var list []condition
	for _, c := range conditions {
		if !*c.met(r) {
			list = append(list, c)
		}
	}
	return list
}

// failing is an unmet condition with the official text of what to change.
type failing struct {
	reason  string // in the detail log
	summary string // in the summary log
}

const (
	textLatency      = "Reduce target QPS to improve latency."
	textStreams      = "Reduce samples per query to improve latency."
	textQueries      = "The test exited early, before enough queries were issued."
	textQueriesWhere = "See the detailed log for why this may have occurred."
)

// oneText is the same in both logs.
func oneText(text string) failing { return failing{reason: text + "\n", summary: text} }

func limitTexts(r *Result) []failing {
	switch {
	case r.Tokens != nil:
		return r.Tokens.failings()
	case r.Intervals != nil:
		return []failing{oneText(textStreams)}
	}
	return []failing{oneText(textLatency)}
}

// failings are the unmet conditions of r that have an official text, in its order, and a text of ours for what has
// none.
func failings(r *Result) []failing {
	var list []failing
	for _, c := range unmet(r) {
		if c.texts != nil {
			list = append(list, c.texts(r)...)
		}
	}
	if len(r.Pauses) > 0 {
		list = append(list, oneText("Run again: "+pausesText(r.Pauses)+"."))
	}
	return list
}
