package report

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/judge"
)

// Finish sets how the run ended: status, verdict and exit code. err is what ended it before its natural end, or nil.
func (r *Run) Finish(err error) {
	code := r.outcome()
	if err != nil {
		code = exitcode.Of(err)
		r.fail(code, err)
	}
	r.ExitCode = int(code)
	r.normalise()
}

// outcome judges a run that came to its natural end.
func (r *Run) outcome() exitcode.Code {
	r.Status = Complete
	switch {
	case r.Accuracy != nil:
		r.Verdict = string(r.Accuracy.Outcome)
		if !r.Accuracy.OK() {
			return exitcode.Accuracy
		}
	case r.Performance != nil:
		valid := r.Performance.Valid && !r.Power.lost()
		r.Verdict = withProfile(valid, r.Profile)
		if !valid {
			return exitcode.Invalid
		}
	}
	return exitcode.Valid
}

// withProfile writes a verdict; one that does not rest on the rules' settings says so.
func withProfile(valid bool, profile string) string {
	verdict := "INVALID"
	if valid {
		verdict = "VALID"
	}
	if profile == "official" {
		return verdict
	}
	return fmt.Sprintf("%s (%s)", verdict, profile)
}

func (r *Run) fail(code exitcode.Code, err error) {
	r.Status, r.Verdict = Failed, "FAILED"
	switch {
	case code == exitcode.Interrupted:
		r.Status, r.Verdict = Interrupted, "INTERRUPTED"
	case errors.Is(err, loadgen.ErrLogsLost):
		r.Status, r.Verdict = Unfinished, "UNFINISHED"
	}
	r.Error = &Failure{Class: code.String(), Message: err.Error()}
	var failed *host.Error
	if errors.As(err, &failed) {
		r.Error.Kind, r.Error.Stderr = string(failed.Kind), failed.Stderr
	}
}

// Begin marks a run that is under way. Where the harness is killed, this is what result.json keeps saying.
func (r *Run) Begin() {
	r.Status, r.Verdict, r.ExitCode = Unfinished, "UNFINISHED", int(exitcode.Interrupted)
	r.normalise()
}

// Skip marks a run that is not made: code is of what keeps it from starting, such as an earlier one's failure.
func (r *Run) Skip(code exitcode.Code) {
	r.Status, r.Verdict, r.ExitCode = NotRun, "not run", int(code)
	r.normalise()
}

// normalise turns absent lists into empty ones, so that every field of the schema is there.
func (r *Run) normalise() {
	r.Reasons, r.Deviations, r.Files = list(r.Reasons), list(r.Deviations), list(r.Files)
	r.Command, r.Settings, r.Messages = list(r.Command), list(r.Settings), list(r.Messages)
	r.Notes, r.DivisionReasons = list(r.Notes), list(r.DivisionReasons)
	if r.Accuracy != nil {
		r.Accuracy.Notes = list(r.Accuracy.Notes)
		if r.Accuracy.Metrics == nil {
			r.Accuracy.Metrics = []judge.Metric{}
		}
	}
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
