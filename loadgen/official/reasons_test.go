package official

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// TestAdviceOfEachReason: each sentence of the official text is the hint of exactly one reason.
func TestAdviceOfEachReason(t *testing.T) {
	const latency, streams = "Reduce target QPS to improve latency.", "Reduce samples per query to improve latency."
	const offline = "Increase expected QPS so the loadgen pre-generates a larger (coalesced) query."
	const single = "Decrease the expected latency so the loadgen pre-generates more queries."
	const server, queries = "Increase the target QPS so the loadgen pre-generates more queries.",
		"The test exited early, before enough queries were issued."
	const early = "See the detailed log for why early stopping failed."
	const ttft, tpot = "TTFT constrain not met: " + latency, "TPOT constrain not met: " + latency
	for _, c := range []struct{ rules, advice, want string }{
		{"latency", latency + " ", latency}, {"latency", streams, streams}, {"min_duration", offline, offline},
		{"latency min_duration min_query_count", latency + " " + server + " " + queries + " ",
			latency + "|" + server + "|" + queries},
		{"min_duration early_stopping", single + " " + early, single + "|" + early},
		{"min_query_count", queries, queries}, {"early_stopping", early, early},
		{"ttft tpot", ttft + " * " + tpot, ttft + "|" + tpot}, {"tpot", tpot, tpot}, {"ttft early_stopping",
			ttft + " * " + early, ttft + "|" + early},
		{"min_query_count", latency, latency}, {"latency min_duration", "Something new.", "Something new.|"},
		{"latency min_duration", "", "|"}, {"", latency, ""}, {"min_duration", " * ", ""},
	} {
		var list []loadgen.Reason
		for _, rule := range strings.Fields(c.rules) {
			list = append(list, loadgen.Reason{Rule: rule})
		}
		giveAdvice(list, c.advice)
		var hints []string
		for _, r := range list {
			hints = append(hints, r.Hint)
		}
		if got := strings.Join(hints, "|"); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.rules, c.advice, got, c.want)
		}
	}
}
