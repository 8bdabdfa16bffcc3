package report

import (
	"strings"
	"testing"
)

// TestInterruptedTokens: a run of tokens that was interrupted shows what it measured until then.
func TestInterruptedTokens(t *testing.T) {
	r := record("Server", "performance")
	r.Status, r.Verdict = Interrupted, "INTERRUPTED"
	r.Performance = &Performance{Tokens: &Tokens{
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
