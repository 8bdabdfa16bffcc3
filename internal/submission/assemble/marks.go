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

// unsubmittable is a reason why runs cannot be submitted.
type unsubmittable struct {
	mark   string   // text of the mark
	remedy string   // advice
	runs   []string // names of the runs
}

// findMarks returns the reasons why a run cannot be submitted. Outside a rehearsal it adds them to the faults instead.
func (a *addRequest) findMarks(r Result, run record.Run, log string) (marks []string) {
	version, err := "", error(nil)
	if run.Serving == nil {
		version, err = loadGenVersion(log)
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
			a.addUnsubmittable(r, what, why, remedy)
		}
	}
	mark(isRehearsal(version), "a rehearsal, driven by the LoadGen "+version, "", "run again with --loadgen official")
	mark(run.Serving != nil, "a rehearsal, a replay of this project's", "",
		"the official one is the endpoints harness's own")
	mark(lacksTurns(run), "INVALID", "turns are missing",
		"see why they are, mend that, and run again")
	mark(run.Mode == bench.ModePerformance && run.Profile != officialProfile && run.Profile != auditProfile,
		"settings of the profile "+run.Profile, "", "run again with --official")
	mark(len(run.Estimates) > 0, "an estimate", strings.Join(run.Estimates, "; "),
		"measure it, at a server that counts tokens, say")
	mark(isEmbedded(run), "the plugin's embedded model or data", "", "run again with --model and --dataset")
	mark(isInvalid(run), "INVALID", invalidReasons(run),
		"see why it is, mend that, and run again")
	if r.Division == tree.DivisionOpen {
		return marks
	}
	mark(run.Test != "" && auditFailure(run) != "", "an audit that did not pass", auditFailure(run),
		"give harness audit again")
	mark(run.Division != "" && run.Division != r.Division, "not of the "+r.Division+" division",
		"of the "+run.Division+" division: "+strings.Join(run.DivisionReasons, "; "),
		"run again as the division asks, or take it for another with --division")
	mark(run.Accuracy != nil && !run.Accuracy.OK(), "an accuracy that is not good enough", run.Verdict,
		"take a better model, or the open division")
	return marks
}

// lacksTurns reports whether a replay is incomplete.
func lacksTurns(run record.Run) bool {
	return run.Serving != nil && run.Serving.Holds != nil && !*run.Serving.Holds
}

// isInvalid reports whether a run is INVALID and not an audit.
func isInvalid(run record.Run) bool {
	return run.Performance != nil && !run.Performance.Valid && run.Test == ""
}

// addUnsubmittable records a run that cannot be submitted.
func (a *addRequest) addUnsubmittable(r Result, what, why, remedy string) {
	i := slices.IndexFunc(a.unsubmittable, func(o unsubmittable) bool { return o.mark == what })
	if i < 0 {
		a.unsubmittable = append(a.unsubmittable, unsubmittable{mark: what, remedy: remedy})
		i = len(a.unsubmittable) - 1
	}
	name := r.String()
	if why != "" {
		name += " (" + why + ")"
	}
	a.unsubmittable[i].runs = append(a.unsubmittable[i].runs, name)
}

// err returns an error that names the runs and gives advice.
func (r unsubmittable) err() error {
	return fmt.Errorf("%s: %s cannot be submitted; %s, or take them all the same, marked, with --rehearsal", r.mark,
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

// auditFailure returns the reason why an audit cannot be submitted; empty: it passed.
func auditFailure(run record.Run) string {
	switch run.TestVerdict {
	case record.TestPassed:
		return ""
	case record.TestFailed:
		return "it failed, as harness audit says with the reasons"
	}
	return "its logs were not judged"
}
