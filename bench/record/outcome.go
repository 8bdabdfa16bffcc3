package record

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
)

// Finish sets the status, verdict and exit code of the run. err is the reason for an early end, or nil.
func (r *Run) Finish(err error) {
	if err != nil {
		code := exitcode.Of(err)
		r.setFailed(code, err)
		r.ExitCode = int(code)
	} else {
		r.setOutcome()
	}
	r.normaliseLists()
}

// setOutcome sets the verdict and exit code of a run that finished.
func (r *Run) setOutcome() {
	verdict, code := r.naturalOutcome()
	r.Status, r.Verdict = Complete, verdict
	switch r.TestVerdict {
	case TestPassed:
		code = exitcode.Valid
	case TestFailed:
		code = exitcode.Invalid
	case TestNotJudged: // the logs are still to be judged for the test
		code = exitcode.Interrupted
	}
	r.ExitCode = int(code)
}

// naturalOutcome returns the outcome of a finished run, without the verdict of its compliance test.
func (r Run) naturalOutcome() (verdict string, code exitcode.Code) {
	switch {
	case r.Accuracy != nil:
		if verdict = string(r.Accuracy.Outcome); !r.Accuracy.OK() {
			return verdict, exitcode.Accuracy
		}
	case r.Performance != nil:
		valid := r.Performance.Valid && !r.Power.isLost()
		if verdict = withProfile(valid, r.Profile); !valid {
			return verdict, exitcode.Invalid
		}
	case r.Serving != nil:
		return r.Serving.pointVerdict()
	}
	return verdict, exitcode.Valid
}

// Good reports whether the run finished and is VALID or has a good accuracy, regardless of its test's verdict.
func (r Run) Good() bool {
	_, code := r.naturalOutcome()
	return r.Status == Complete && code == exitcode.Valid
}

// OwnCode returns the run's exit code without the verdict of its compliance test, which is determined later.
func (r Run) OwnCode() exitcode.Code {
	if r.Status != Complete || r.TestVerdict == "" {
		return exitcode.Code(r.ExitCode)
	}
	_, code := r.naturalOutcome()
	return code
}

// Judge sets the verdict of the compliance test of a complete run. It becomes the run's verdict: a test may pass even
// if its run is too short to be VALID.
func (r *Run) Judge(passed bool) {
	r.TestVerdict = TestFailed
	if passed {
		r.TestVerdict = TestPassed
	}
	r.setOutcome()
}

// withProfile returns the text of a verdict. It includes the profile unless the settings are the official ones.
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

func (r *Run) setFailed(code exitcode.Code, err error) {
	r.Status, r.Verdict = Failed, "FAILED"
	switch {
	case code == exitcode.Interrupted:
		r.Status, r.Verdict = Interrupted, "INTERRUPTED"
	case errors.Is(err, loadgen.ErrLogsLost):
		r.Status, r.Verdict = Unfinished, "UNFINISHED"
	}
	r.Error = &Failure{Class: code.String(), Message: err.Error()}
	var failed *host.PluginError
	if errors.As(err, &failed) {
		r.Error.Kind, r.Error.Stderr = string(failed.Kind), failed.Stderr
	}
}

// Begin marks a run as in progress. If the harness is killed, result.json keeps this state.
func (r *Run) Begin() {
	r.Status, r.Verdict, r.ExitCode = Unfinished, "UNFINISHED", int(exitcode.Interrupted)
	r.normaliseLists()
}

// Skip marks a run that is not made. code is the exit code of the reason, for example of an earlier run's failure.
func (r *Run) Skip(code exitcode.Code) {
	r.Status, r.Verdict, r.ExitCode = NotRun, "not run", int(code)
	r.normaliseLists()
}

// normaliseLists replaces nil lists by empty ones, so that the JSON contains every field of the schema.
func (r *Run) normaliseLists() {
	r.Reasons, r.Deviations, r.Files = nonNil(r.Reasons), nonNil(r.Deviations), nonNil(r.Files)
	r.Command, r.Settings, r.Messages = nonNil(r.Command), nonNil(r.Settings), nonNil(r.Messages)
	r.Notes, r.DivisionReasons = nonNil(r.Notes), nonNil(r.DivisionReasons)
	if r.Accuracy != nil {
		r.Accuracy.Notes = nonNil(r.Accuracy.Notes)
		if r.Accuracy.Metrics == nil {
			r.Accuracy.Metrics = []judge.Metric{}
		}
	}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// AnsweredByEmbedded reports whether the plugin's own model gave the answers, not a server's model.
func (r *Run) AnsweredByEmbedded() bool {
	return r.Workload != nil && r.Workload.Embedded && r.Network == nil
}
