package loadgen

import "fmt"

// notes are the findings about a test, once it is judged.
func (t *test) notes() []Note {
	var list []Note
	if why := t.hopeless.Load(); why != nil {
		list = append(list, Note{About: "hopeless", Text: "It was clear before the end that the run could only end INVALID: " + *why + "."})
	}
	if len(t.paused) > len(t.result.Pauses) { // else a reason says so
		list = append(list, Note{About: "standstill", Text: pausesText(t.paused) + "; the answers count, their times do not."})
	}
	if text := lateIssue(&t.result); text != "" {
		list = append(list, Note{About: "issue_delay", Text: text})
	}
	return list
}

// smallDelay is the share of the latency limit that the issue delay may take without a note.
const smallDelay = 0.02

// lateIssue says that Server queries were issued so late that it shows in their latencies, or is empty.
func lateIssue(r *Result) string {
	if r.Effective.Scenario != Server {
		return ""
	}
	limit := r.Effective.TargetLatency
	if r.Tokens != nil {
		limit = r.Tokens.TTFT.Limit
	}
	for _, p := range r.IssueDelay.Percentiles {
		if p.P == 0.99 && float64(p.Latency) > smallDelay*float64(limit) {
			return fmt.Sprintf("1 %% of the queries were issued %s or more after they were due, %s the limit of %s, which counts as latency: "+
				"IssueQuery takes long, or the machine has no processor free for LoadGen.", human(p.Latency), shareOf(float64(p.Latency)/float64(limit)), human(limit))
		}
	}
	return ""
}
