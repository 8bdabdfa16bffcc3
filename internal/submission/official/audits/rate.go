package audits

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeRates reproduces run_verification.py of TEST04 and TEST05.
func judgeRates(r Request) Verdict {
	text, exit := "", 0
	if evidence.IsSplitByShell(r.Reference.Summary, r.Run.Summary) {
		text, exit = unquoteScript("verify_performance.py"), 2
	} else {
		text, exit = performanceText(r)
	}
	v := newVerdict(r)
	v.Performance = audit.OutcomeOf(strings.Contains(text, evidence.Pass))
	v.Texts = map[string]string{tree.VerifyPerformance: text}
	v.Pass = v.Performance == audit.Passed
	if r.Out == "" && r.Test == "TEST05" { // verify_performance.py was run alone
		v.Stdout, v.Exit = text, exit
		return v
	}
	copied := v.copyLogs(r)
	v.Stdout = "Parsing arguments.\n" + text + copied +
		fmt.Sprintf("Performance check pass: %s\n%s verification complete\n", evidence.BoolText(v.Pass), r.Test)
	return v
}

// performanceText returns the output and exit code of the round's verify_performance.py for the runs' logs.
func performanceText(r Request) (text string, exit int) {
	return evidence.ScoringOf(r.Rules).Text(r.Test,
		evidence.Paths{Detail: r.Reference.Detail, Summary: r.Reference.Summary},
		evidence.Paths{Detail: r.Run.Detail, Summary: r.Run.Summary})
}
