package audits

import (
	"context"
	"fmt"
	"path"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

// Request is an audit to judge, in the form of Plumbline's own judge, with arguments of the official scripts.
type Request struct {
	audit.Request
	Out      string // the folder that texts name: what is judged is placed there by package audit
	UnixMode bool   // TEST01 compares whole lines of the accuracy logs, as with --unixmode
}

// Verdict is the result of an audit, with the official script's output.
type Verdict struct {
	audit.Verdict
	Stdout string // what the script prints
	Exit   int    // its exit code
}

// Verify judges the logs of an audit as the official scripts do: their verdicts, texts and exit codes, with all that
// they let pass. An error says that the request makes no sense ([audit.ErrRequest]).
func Verify(ctx context.Context, r Request) (Verdict, error) {
	d, err := r.Elements()
	if err != nil {
		return Verdict{}, err
	}
	switch r.Test {
	case "TEST01":
		return answers(r, d), nil
	case "TEST04", "TEST05":
		return rates(r), nil
	case "TEST06":
		return tokens(r, d), nil
	case "TEST07":
		return scored(ctx, r), nil
	case "TEST08":
		return entropy(r), nil
	case "TEST09":
		return lengths(r), nil
	}
	return Verdict{}, fmt.Errorf("%w: the official scripts have no %s", audit.ErrRequest, r.Test)
}

// begun is a verdict that is not reached yet.
func begun(r Request) Verdict { return Verdict{Verdict: audit.Verdict{Test: r.Test}} }

// copyLogs sets what the script copies, and is what it prints of the logs that it cannot copy.
func (v *Verdict) copyLogs(r Request) (printed string) {
	for _, c := range v.TakeLogs(r.Request) {
		printed += fmt.Sprintf("Exception occured trying to copy %s to %s\n", c.From,
			evidence.Join(r.Out, r.Test, path.Dir(c.To)))
	}
	return printed
}
