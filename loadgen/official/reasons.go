package official

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// reasons explains an INVALID verdict with the conditions that the log reports as not met. advice is the official text.
// Each reason gets the sentences of advice that concern it.
func reasons(r *loadgen.Result, advice string) []loadgen.Reason {
	if r.Verdict != loadgen.Invalid {
		return nil
	}
	var list []loadgen.Reason
	add := func(met bool, rule, measured, needed string) {
		if !met {
			list = append(list, loadgen.Reason{Rule: rule, Measured: measured, Needed: needed})
		}
	}
	e := r.Effective
	if t := r.Tokens; t != nil && !r.PerformanceConstraintsMet {
		add(t.TTFT.Target.Latency <= t.TTFT.Limit, "ttft", "time to first token "+t.TTFT.Target.Latency.String(),
			"at most "+t.TTFT.Limit.String())
		add(t.TPOT.Target.Latency <= t.TPOT.Limit, "tpot", "time per output token "+t.TPOT.Target.Latency.String(),
			"at most "+t.TPOT.Limit.String())
	} else {
		add(r.PerformanceConstraintsMet, "latency", fmt.Sprintf("%gth percentile latency %v; %d queries above the limit",
			100*r.TargetPercentile.P, r.TargetPercentile.Latency, r.OverlatencyCount), "at most "+e.TargetLatency.String())
	}
	add(r.MinDurationMet, "min_duration", r.Duration.String(), "at least "+e.MinDuration.String())
	issued := "fewer queries" // a log before v1.1 does not contain the number
	if r.QueryCount > 0 {
		issued = strconv.FormatUint(r.QueryCount, 10) + " queries"
	}
	add(r.MinQueriesMet, "min_query_count", issued,
		fmt.Sprintf("at least %d queries", e.MinQueryCount))
	add(r.EarlyStoppingMet, "early_stopping", issued, r.EarlyStopping.Text)
	giveAdvice(list, advice)
	return list
}

// adviceSentences lists the sentences of advice that LoadGens of all versions write, with the rules that they concern.
// Every other sentence concerns early stopping.
var adviceSentences = []struct {
	rules []string
	text  *regexp.Regexp
}{
	{[]string{"ttft"}, regexp.MustCompile(`TTFT constrain not met: [^.]+\.`)},
	{[]string{"tpot"}, regexp.MustCompile(`TPOT constrain not met: [^.]+\.`)},
	{[]string{"latency", "ttft", "tpot"}, regexp.MustCompile(`Reduce [^.]+ to improve latency\.`)},
	{[]string{"min_duration"}, regexp.MustCompile(`(In|De)crease [^.]+ pre-generates [^.]+\.`)},
	{[]string{"min_query_count"}, regexp.MustCompile(`The test exited early, before enough queries were issued\.`)},
}

// giveAdvice adds each sentence to the first reason that it concerns, or to the first of all reasons.
func giveAdvice(list []loadgen.Reason, advice string) {
	if len(list) == 0 {
		return
	}
	give := func(text string, rules ...string) {
		i := max(0, slices.IndexFunc(list, func(r loadgen.Reason) bool { return slices.Contains(rules, r.Rule) }))
		list[i].Hint = strings.TrimSpace(list[i].Hint + " " + text)
	}
	for _, s := range adviceSentences {
		for _, text := range s.text.FindAllString(advice, -1) {
			give(text, s.rules...)
		}
		advice = s.text.ReplaceAllString(advice, "")
	}
	if rest := strings.Join(strings.Fields(strings.ReplaceAll(advice, " * ", " ")), " "); strings.Trim(rest, " *") != "" {
		give(rest, "early_stopping")
	}
}
