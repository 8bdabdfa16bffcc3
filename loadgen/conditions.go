package loadgen

// validCondition is a condition of a VALID run. It provides the parts of the verdict, the logs and the reasons.
type validCondition struct {
	met func(r *Result) *bool // returns the condition's field in the Result
	// judge reports whether the condition is met. nil means that the scenario's judge sets it together with the metrics.
	judge      func(p *testSeries, r *Result) bool
	isShown    func(r *Result) bool // whether the logs contain it; nil means always
	key, label string               // names in the detail log and in the summary
	// texts returns the official advice if the condition is not met; nil means that there is none. reasons returns our
	// reasons.
	texts   func(r *Result) []failedCondition
	reasons func(p *testSeries, r *Result) []Reason
}

// conditions lists the conditions in the order of the logs. It is never changed.
var conditions = []validCondition{
	{
		met: func(r *Result) *bool { return &r.PerformanceConstraintsMet },
		key: "result_perf_constraints_met", label: "Performance constraints satisfied",
		isShown: func(r *Result) bool { return r.kindOf().hasLimit(r) },
		texts:   limitTexts, reasons: limitReasons,
	},
	{
		met: func(r *Result) *bool { return &r.MinDurationMet },
		key: "result_min_duration_met", label: "Min duration satisfied",
		judge: func(p *testSeries, r *Result) bool {
			judged, _ := r.kindOf().duration(p, r)
			return judged >= r.Effective.MinDuration
		},
		texts:   func(r *Result) []failedCondition { return []failedCondition{sameText(r.kindOf().durationText())} },
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
		isShown: func(r *Result) bool { return !r.Effective.NoEarlyStopping },
		reasons: func(p *testSeries, r *Result) []Reason { return []Reason{r.kindOf().earlyStoppingReason(p, r)} },
	},
}

// conditionsInLogs lists the conditions that the logs of a run contain.
func conditionsInLogs(r *Result) []validCondition {
	var list []validCondition
	for _, c := range conditions {
		if c.isShown == nil || c.isShown(r) {
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

// failedCondition contains the official advice on an unmet condition.
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

// sameText returns the same advice for both logs.
func sameText(text string) failedCondition {
	return failedCondition{reason: text + "\n", summary: text}
}

func limitTexts(r *Result) []failedCondition {
	switch {
	case r.Tokens != nil:
		return r.Tokens.failedLimits()
	case r.Intervals != nil:
		return []failedCondition{sameText(textStreams)}
	}
	return []failedCondition{sameText(textLatency)}
}

// failedConditions returns r's unmet conditions with an official text, in the official order. A condition without an
// official text has our text.
func failedConditions(r *Result) []failedCondition {
	var list []failedCondition
	for _, c := range unmetConditions(r) {
		if c.texts != nil {
			list = append(list, c.texts(r)...)
		}
	}
	if len(r.Pauses) > 0 {
		list = append(list, sameText("Run again: "+pausesText(r.Pauses)+"."))
	}
	return list
}
