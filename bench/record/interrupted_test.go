package record

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// TestInterruptedTokens checks that an interrupted run with tokens shows its measurements until then.
func TestInterruptedTokens(t *testing.T) {
	r := record("Server", "performance")
	r.Status, r.Verdict = Interrupted, "INTERRUPTED"
	r.Performance = &Performance{Queries: 40, Samples: 40, Tokens: &Tokens{
		Count: 1200,
		TTFT:  &TokenLatency{Figure: Figure{Name: "99th percentile TTFT", Rounded: "12.300", Unit: "ms"}},
		TPOT:  &TokenLatency{Figure: Figure{Name: "99th percentile TPOT", Rounded: "4.5000", Unit: "ms"}},
	}}
	var b strings.Builder
	if err := WriteRow(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"INTERRUPTED", "1,200 tokens", "99th percentile TTFT 12.300 ms",
		"99th percentile TPOT 4.5000 ms"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in:\n%s", part, b.String())
		}
	}
}

// TestJudge checks that the exit code of a run for a compliance test is the test's code after it was judged.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		valid, passed, judged bool
		own, code             exitcode.Code
	}{
		{true, false, false, exitcode.Valid, exitcode.Interrupted},
		{true, true, true, exitcode.Valid, exitcode.Valid},
		{true, false, true, exitcode.Valid, exitcode.Invalid},
		{false, false, false, exitcode.Invalid, exitcode.Interrupted},
		{false, true, true, exitcode.Invalid, exitcode.Valid}, // a test that does not require a VALID run
	} {
		r := Run{Test: "TEST01", TestVerdict: TestNotJudged, Performance: &Performance{Valid: c.valid}}
		r.Finish(nil)
		if c.judged {
			r.Judge(c.passed)
		}
		if r.Good() != c.valid || r.OwnCode() != c.own || r.ExitCode != int(c.code) || r.Status != Complete {
			t.Errorf("%+v: good %v, codes %v and %v", c, r.Good(), r.OwnCode(), r.ExitCode)
		}
	}
	failed := Run{Test: "TEST01", TestVerdict: TestNotJudged, Performance: &Performance{Valid: true}}
	failed.Finish(errors.New("the plugin died"))
	if failed.Good() || failed.ExitCode != int(exitcode.Internal) || failed.OwnCode() != exitcode.Internal {
		t.Errorf("a run that failed: good %v, code %d", failed.Good(), failed.ExitCode)
	}
}
