package audits

import (
	"context"
	"fmt"
	"path"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

// Request is an audit to judge, in the form of package audit, with arguments of the official scripts.
type Request struct {
	audit.Request
	Out      string // output folder named in the texts; package audit writes the files there
	UnixMode bool   // compare whole lines of the accuracy logs in TEST01, like --unixmode
}

// Verdict is the result of an audit with the official script's output.
type Verdict struct {
	audit.Verdict
	Stdout string // standard output of the script
	Exit   int    // exit code of the script
}

// Verify judges the logs of an audit like the official scripts. Verdicts, texts and exit codes are equal, and cases
// that the scripts accept unchecked pass here too. It returns an error if the request is invalid ([audit.ErrRequest]).
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

// begun returns an initial verdict.
func begun(r Request) Verdict { return Verdict{Verdict: audit.Verdict{Test: r.Test}} }

// copyLogs sets the logs that the script copies, and returns its output about logs that it cannot copy.
func (v *Verdict) copyLogs(r Request) (printed string) {
	for _, c := range v.TakeLogs(r.Request) {
		printed += fmt.Sprintf("Exception occured trying to copy %s to %s\n", c.From,
			evidence.Join(r.Out, r.Test, path.Dir(c.To)))
	}
	return printed
}
