package assemble

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// The profiles of runs with the rules' durations and counts.
const (
	officialProfile = "official"
	auditProfile    = "audit"
)

// reservation is a reason why runs cannot be submitted.
type reservation struct {
	what   string   // text of the mark
	remedy string   // advice
	runs   []string // names of the runs
}

// marks returns the reasons why a run cannot be submitted. Outside a rehearsal it adds them to the faults instead.
func (a *addRequest) marks(r Result, run record.Run, log string) (marks []string) {
	version, err := "", error(nil)
	if run.Serving == nil {
		version, err = loadGenOf(log)
	}
	if err != nil {
		a.faults = append(a.faults, err)
		return nil
	}
	mark := func(is bool, what, why, remedy string) {
		switch {
		case is && a.options.Rehearsal:
			marks = append(marks, what)
		case is:
			a.reserve(r, what, why, remedy)
		}
	}
	mark(isRehearsal(version), "a rehearsal, driven by the LoadGen "+version, "", "run again with --loadgen official")
	mark(run.Serving != nil, "a rehearsal, a replay of this project's", "",
		"the official one is the endpoints harness's own")
	mark(turnsMissing(run), "INVALID", "turns are missing",
		"see why they are, mend that, and run again")
	mark(run.Mode == bench.ModePerformance && run.Profile != officialProfile && run.Profile != auditProfile,
		"settings of the profile "+run.Profile, "", "run again with --official")
	mark(len(run.Estimates) > 0, "an estimate", strings.Join(run.Estimates, "; "),
		"measure it, at a server that counts tokens, say")
	mark(isEmbedded(run), "the plugin's embedded model or data", "", "run again with --model and --dataset")
	mark(invalid(run), "INVALID", invalidReasons(run),
		"see why it is, mend that, and run again")
	if r.Division == tree.DivisionOpen {
		return marks
	}
	mark(run.Test != "" && whyAuditFailed(run) != "", "an audit that did not pass", whyAuditFailed(run),
		"give harness audit again")
	mark(run.Division != "" && run.Division != r.Division, "not of the "+r.Division+" division",
		"of the "+run.Division+" division: "+strings.Join(run.DivisionReasons, "; "),
		"run again as the division asks, or take it for another with --division")
	mark(run.Accuracy != nil && !run.Accuracy.OK(), "an accuracy that is not good enough", run.Verdict,
		"take a better model, or the open division")
	return marks
}

// turnsMissing reports whether a replay is incomplete.
func turnsMissing(run record.Run) bool {
	return run.Serving != nil && run.Serving.Holds != nil && !*run.Serving.Holds
}

// invalid reports whether a run is INVALID and not an audit.
func invalid(run record.Run) bool {
	return run.Performance != nil && !run.Performance.Valid && run.Test == ""
}

// reserve records a run that cannot be submitted.
func (a *addRequest) reserve(r Result, what, why, remedy string) {
	i := slices.IndexFunc(a.reserved, func(o reservation) bool { return o.what == what })
	if i < 0 {
		a.reserved = append(a.reserved, reservation{what: what, remedy: remedy})
		i = len(a.reserved) - 1
	}
	name := r.String()
	if why != "" {
		name += " (" + why + ")"
	}
	a.reserved[i].runs = append(a.reserved[i].runs, name)
}

// err returns an error that names the runs and gives advice.
func (r reservation) err() error {
	return fmt.Errorf("%s: %s cannot be submitted; %s, or take them all the same, marked, with --rehearsal", r.what,
		strings.Join(r.runs, ", "), r.remedy)
}

// isEmbedded reports whether a run used the plugin's embedded model or data.
func isEmbedded(run record.Run) bool {
	return run.Workload != nil && (run.Workload.Embedded || run.Options.Dataset == "")
}

// invalidReasons returns the reasons why a run is INVALID.
func invalidReasons(run record.Run) string {
	var list []string
	for _, r := range run.Reasons {
		list = append(list, fmt.Sprintf("%s %s, needed: %s", r.Rule, r.Measured, r.Needed))
	}
	return strings.Join(list, "; ")
}

// whyAuditFailed returns the reason why an audit cannot be submitted; empty: it passed.
func whyAuditFailed(run record.Run) string {
	switch run.TestVerdict {
	case record.TestPassed:
		return ""
	case record.TestFailed:
		return "it failed, as harness audit says with the reasons"
	}
	return "its logs were not judged"
}
