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
		return judgeAnswers(r, d), nil
	case "TEST04", "TEST05":
		return judgeRates(r), nil
	case "TEST06":
		return judgeTokens(r, d), nil
	case "TEST07":
		return judgeAccuracy(ctx, r), nil
	case "TEST08":
		return judgeEntropy(r), nil
	case "TEST09":
		return judgeLengths(r), nil
	}
	return Verdict{}, fmt.Errorf("%w: the official scripts have no %s", audit.ErrRequest, r.Test)
}

// newVerdict returns an initial verdict.
func newVerdict(r Request) Verdict { return Verdict{Verdict: audit.Verdict{Test: r.Test}} }

// copyLogs sets the logs that the script copies, and returns its output about logs that it cannot copy.
func (v *Verdict) copyLogs(r Request) (printed string) {
	for _, c := range v.TakeLogs(r.Request) {
		printed += fmt.Sprintf("Exception occured trying to copy %s to %s\n", c.From,
			evidence.JoinPaths(r.Out, r.Test, path.Dir(c.To)))
	}
	return printed
}
