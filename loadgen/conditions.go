package loadgen

// validCondition is a condition of a VALID run: all that the verdict, the logs and the reasons have of it.
type validCondition struct {
	met func(r *Result) *bool // where the Result has it
	// judge decides whether it is met; nil: the scenario does, with the metrics.
	judge      func(p *testSeries, r *Result) bool
	shown      func(r *Result) bool // whether the logs have it; nil: always
	key, label string               // in the detail log, and in the summary
	// texts are the official advice where it is not met; nil: there is none. reasons are ours.
	texts   func(r *Result) []failedCondition
	reasons func(p *testSeries, r *Result) []Reason
}

// conditions lists them in the order of the logs. Nothing changes it.
var conditions = []validCondition{
	{
		met: func(r *Result) *bool { return &r.PerformanceConstraintsMet },
		key: "result_perf_constraints_met", label: "Performance constraints satisfied",
		shown: func(r *Result) bool { return r.kindOf().limited(r) },
		texts: limitTexts, reasons: limitReasons,
	},
	{
		met: func(r *Result) *bool { return &r.MinDurationMet },
		key: "result_min_duration_met", label: "Min duration satisfied",
		judge: func(p *testSeries, r *Result) bool {
			judged, _ := r.kindOf().duration(p, r)
			return judged >= r.Effective.MinDuration
		},
		texts:   func(r *Result) []failedCondition { return []failedCondition{oneText(r.kindOf().durationText())} },
		reasons: func(p *testSeries, r *Result) []Reason { return []Reason{durationReason(p, r)} },
	},
	{
		met: func(r *Result) *bool { return &r.MinQueriesMet },
		key: "result_min_queries_met", label: "Min queries satisfied",
		judge: func(_ *testSeries, r *Result) bool {
			return r.QueryCount >= r.Effective.MinQueryCount && r.SampleCount >= r.Effective.MinSampleCount
		},
		texts: func(*Result) []failedCondition {
			return []failedCondition{{reason: textQueries, summary: textQueries + "\n" + textQueriesWhere}}
		},
		reasons: func(p *testSeries, r *Result) []Reason { return []Reason{queriesReason(p, r)} },
	},
	{
		met: func(r *Result) *bool { return &r.EarlyStoppingMet },
		key: "early_stopping_met", label: "Early stopping satisfied",
		judge:   func(_ *testSeries, r *Result) bool { return r.EarlyStopping.Met },
		shown:   func(r *Result) bool { return !r.Effective.NoEarlyStopping },
		reasons: func(p *testSeries, r *Result) []Reason { return []Reason{r.kindOf().earlyStoppingReason(p, r)} },
	},
}

// shownIn lists the conditions that the logs of a run have.
func shownIn(r *Result) []validCondition {
	var list []validCondition
	for _, c := range conditions {
		if c.shown == nil || c.shown(r) {
			list = append(list, c)
		}
	}
	return list
}

// unmetConditions lists the conditions that a run does not meet.
func unmetConditions(r *Result) []validCondition {
	var list []validCondition
	for _, c := range conditions {
		if !*c.met(r) {
			list = append(list, c)
		}
	}
	return list
}

// failedCondition is an unmet condition with the official text of what to change.
type failedCondition struct {
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
func oneText(text string) failedCondition { return failedCondition{reason: text + "\n", summary: text} }

func limitTexts(r *Result) []failedCondition {
	switch {
	case r.Tokens != nil:
		return r.Tokens.failedLimits()
	case r.Intervals != nil:
		return []failedCondition{oneText(textStreams)}
	}
	return []failedCondition{oneText(textLatency)}
}

// failedConditions are the unmet conditions of r that have an official text, in its order, and a text of ours for what
// has none.
func failedConditions(r *Result) []failedCondition {
	var list []failedCondition
	for _, c := range unmetConditions(r) {
		if c.texts != nil {
			list = append(list, c.texts(r)...)
		}
	}
	if len(r.Pauses) > 0 {
		list = append(list, oneText("Run again: "+pausesText(r.Pauses)+"."))
	}
	return list
}
