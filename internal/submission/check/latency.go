package check

import (
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// checkLatency checks a run's latency against its benchmark's limit.
func (r *resultFolder) checkLatency(l *runLog) {
	limit := r.checker.rules.LatencyLimit(r.model, l.logScenario())
	if limit == 0 {
		return
	}
	const target, measured = "effective_target_latency_ns", "result_99.00_percentile_latency_ns"
	want := "at most " + strconv.FormatInt(limit.Nanoseconds(), 10)
	if got, ok := l.numberOf(target); !ok || got > float64(limit) {
		r.addReject(ruleLatency, l.logPath(), "the run was set to a higher latency limit", l.quotedValue(target), want,
			"leave target_latency to the rules, and run again")
	}
	if r.checker.rules.UsesTokens(r.model) {
		return // the limits apply to tokens
	}
	if got, ok := l.numberOf(measured); ok && got > float64(limit) {
		r.addFinding(r.latencySeverity(l, limit), ruleLatency, l.logPath(), "the latency is over the limit",
			l.quotedValue(measured), want,
			"run again at a lower target_qps")
	}
}

// latencySeverity returns Reject if LoadGen's setting and the official checker agree on the limit, and Note otherwise.
// For dlrm-v3 they differ: 80 ms and 60 s.
func (r *resultFolder) latencySeverity(l *runLog, limit time.Duration) Severity {
	if s, ok := r.rulesSettings(l.logScenario()); ok && s.ServerTargetLatency == limit {
		return Reject
	}
	return Note
}

// checkTokens checks the latencies of a model that generates tokens: of the first token, and per further token.
func (r *resultFolder) checkTokens(l *runLog) {
	if !r.checker.rules.UsesTokens(r.model) {
		return
	}
	const uses = "requested_use_token_latencies"
	if on, _ := l.flagOf(uses); !on {
		r.addReject(ruleLatency, l.logPath(), "the latencies of tokens were not measured", l.quotedValue(uses), "true",
			"leave use_token_latencies to the rules, and run again")
	}
	if l.logScenario() != "Server" {
		return
	}
	limits, ok := r.checker.rules.TokenLimits(r.model, r.scenario)
	if !ok {
		return // the benchmark does not have the scenario
	}
	r.checkTokenLimits(l, limits)
}

func (r *resultFolder) checkTokenLimits(l *runLog, limits mlconf.TokenLimits) {
	for _, c := range []struct {
		setting, measured string
		limit             time.Duration
	}{
		{"requested_server_ttft_latency", result.KeyFirstToken, limits.FirstToken},
		{"requested_server_tpot_latency", result.KeyPerToken, limits.PerToken},
	} {
		limit := strconv.FormatInt(c.limit.Nanoseconds(), 10)
		if got, ok := l.numberOf(c.setting); ok && got > float64(c.limit) {
			r.addReject(ruleLatency, l.logPath(), "the run was set to a higher limit than that of "+r.scenario,
				l.quotedValue(c.setting),
				"at most "+limit, "run with the settings of "+r.checker.rules.LoadGenModel(r.model, r.scenario))
		}
		if got, ok := l.numberOf(c.measured); !ok || got >= float64(c.limit) {
			r.addReject(ruleLatency, l.logPath(), "the latency of tokens is over the limit of "+r.scenario,
				l.quotedValue(c.measured),
				"less than "+limit, "run again at a lower target_qps")
		}
	}
}
