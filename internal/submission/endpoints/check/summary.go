package check

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// resultSummary is the content of result_summary.json.
type resultSummary struct{ record *schema.Record }

func (s *resultSummary) totalOf(metric string) float64 { return s.record.Record(metric).Float("total") }

// outputTokens returns the number of output tokens.
func (s *resultSummary) outputTokens() float64 {
	return math.Trunc(s.totalOf("output_sequence_lengths"))
}

// tokensPerSecond returns the output tokens per second, or 0 if the duration is 0.
func (s *resultSummary) tokensPerSecond() float64 {
	seconds := s.record.Float("duration_ns") / 1e9
	if !(seconds > 0) {
		return 0
	}
	return s.outputTokens() / seconds
}

// tpotP90 returns the 90th percentile of the times per output token in ms.
func (s *resultSummary) tpotP90() (ms float64, ok bool) {
	ns, ok := s.record.Record("tpot").Map("percentiles")["90"].(float64)
	return ns / 1e6, ok
}

// interactivityRate returns the output tokens divided by the time of turns.
func (s *resultSummary) interactivityRate() (rate float64, ok bool) {
	tokens, seconds := s.record.Float("output_tokens_per_turn_total"), s.record.Float("e2e_turn_time_seconds_total")
	hasTokens, hasSeconds := s.record.Has("output_tokens_per_turn_total"), s.record.Has("e2e_turn_time_seconds_total")
	if !hasTokens && !hasSeconds && s.record.Int("n_samples_failed") == 0 {
		tokens, seconds, hasTokens, hasSeconds = s.totalOf("output_sequence_lengths"), s.totalOf("latency")/1e9, true, true
	}
	if !hasTokens || !hasSeconds || !(seconds > 0) {
		return 0, false
	}
	return tokens / seconds, true
}

// storedFigure returns a figure that the submitter wrote in addition to its inputs.
func (s *resultSummary) storedFigure(name string) (x float64, ok bool) {
	v, _ := s.record.Raw.Get(name)
	if v == nil {
		return 0, false
	}
	x, err := pyvalue.Float(v)
	if err != nil {
		return math.NaN(), true
	}
	return x, true
}

// storedTolerance is the maximum relative error of a stored figure.
const storedTolerance = 0.01

// withinOnePercent reports whether a stored figure equals the derived one within 1 %.
func withinOnePercent(stored, derived float64) bool {
	return math.Abs(stored-derived)/max(math.Abs(derived), 1e-9) <= storedTolerance
}

// checkResults checks the rules on a point's results.
func (c *submissionChecker) checkResults(p *curvePoint, g *endpoints.Regions) {
	s, file := p.summary, p.resultsPath()
	c.checkDuration(p, g)
	c.noteSteadyBasis(p)
	if least, known := c.rules.MinQueries[p.config.Text("dataset")]; known {
		done := s.record.Int("n_samples_completed")
		if done < least {
			c.addRow("min-query-count", Error, file, "%d queries completed, want at least %d of %s", done, least,
				p.config.Text("dataset"))
		} else {
			c.addRow("min-query-count", Info, file, "%d queries completed, at least %d", done, least)
		}
	}
	ns := s.record.Float("duration_ns")
	if ns <= 0 {
		c.addRow("metric-consistency-duration", Error, file, "duration_ns is %v, want more than 0", ns)
	} else {
		c.addRow("metric-consistency-duration", Info, file, "the run took %.3f s", ns/1e9)
	}
	if issued := s.record.Int("n_samples_issued"); issued > 0 {
		done, failed := s.record.Int("n_samples_completed"), s.record.Int("n_samples_failed")
		if done+failed != issued {
			c.addRow("metric-consistency-accounting", Error, file, "%d completed and %d failed of %d issued", done, failed,
				issued)
		} else {
			c.addRow("metric-consistency-accounting", Info, file, "all %d samples completed or failed", issued)
		}
	}
	if s.outputTokens() < 0 {
		c.addRow("metric-consistency-output-tokens", Error, file, "%.0f output tokens", s.outputTokens())
	} else {
		c.addRow("metric-consistency-output-tokens", Info, file, "%.0f output tokens", s.outputTokens())
	}
	c.checkDerived("metric-consistency-system-tps", file, "system_tps", s, s.tokensPerSecond())
	c.checkUserSpeed(p)
	c.checkInteractivity(s, file)
}

// checkDerived compares a stored figure with the derived one. If none is stored, the derived one counts.
func (c *submissionChecker) checkDerived(rule, file, name string, s *resultSummary, derived float64) {
	if stored, ok := s.storedFigure(name); ok && !withinOnePercent(stored, derived) {
		c.addRow(rule, Error, file, "%s is %v, but the file's own figures give %.4f", name, stored, derived)
		return
	}
	c.addRow(rule, Info, file, "%s is %.4f", name, derived)
}

func (c *submissionChecker) checkUserSpeed(p *curvePoint) {
	const rule = "metric-consistency-tpot-p90"
	ms, known := p.summary.tpotP90()
	switch {
	case p.isDedicated():
		c.addRow(rule, Info, p.resultsPath(), "Offline has no times of users")
		return
	case !known:
		c.addRow(rule, Error, p.resultsPath(), "tpot.percentiles has no 90, of which tps_per_user is made")
		return
	case math.IsNaN(ms) || math.IsInf(ms, 0) || ms <= 0:
		c.addRow(rule, Error, p.resultsPath(), "the 90th percentile of TPOT is %v ms, want more than 0", ms)
		return
	}
	c.addRow(rule, Info, p.resultsPath(), "the 90th percentile of TPOT is %.4f ms", ms)
	c.checkDerived("metric-consistency-tps-per-user", p.resultsPath(), "tps_per_user", p.summary, 1000/ms)
}

func (c *submissionChecker) checkInteractivity(s *resultSummary, file string) {
	const rule, name = "agentic-metric-consistency", "e2e_avg_interactivity"
	derived, ok := s.interactivityRate()
	stored, has := s.storedFigure(name)
	switch {
	case !ok && has:
		c.addRow(rule, Error, file, "%s is %v, but the file has not what it is made of", name, stored)
	case ok:
		c.checkDerived(rule, file, name, s, derived)
	}
}

// checkDuration compares the duration of the steady window, or else of the whole run, with the minimum.
func (c *submissionChecker) checkDuration(p *curvePoint, g *endpoints.Regions) {
	if g == nil || g.RegionAt(p.concurrency) == "" {
		return
	}
	ms, basis := p.summary.record.Float("duration_ns")/1e6, "the run"
	if w := p.config.Record("steady_state").Record("window"); w.Has("duration_s") {
		ms, basis = w.Float("duration_s")*1000, "the steady window"
	}
	least := float64(g.MinSeconds(p.concurrency, p.loadPattern() == patternAgentic)) * 1000
	if ms < least {
		c.addRow("point-duration", Warning, p.resultsPath(), "%s takes %.0f ms, want at least %.0f", basis, ms, least)
	} else {
		c.addRow("point-duration", Info, p.resultsPath(), "%s takes %.0f ms, at least %.0f", basis, ms, least)
	}
}

// noteSteadyBasis reports which figures are the point's official ones.
func (c *submissionChecker) noteSteadyBasis(p *curvePoint) {
	const rule = "steady-state-basis"
	block, file := p.config.Record("steady_state"), p.resultsPath()
	switch {
	case block == nil:
		c.addRow(rule, Warning, file, "point.yaml has no steady_state: the figures are those of the whole run")
		return
	case steady.Status(block.Text("status")) == steady.Windowable:
		c.addRow(rule, Info, file, "the figures of the steady window are the official ones")
	default:
		c.addRow(rule, Warning, file, "the status is %q: the figures are those of the whole run", block.Text("status"))
	}
	if verdict := steady.Verdict(block.Text("verdict")); verdict == steady.DriftingUp || verdict == steady.DriftingDown {
		c.addRow(rule, Warning, file, "the verdict is %s: a percentile of what drifts is no point", verdict)
	}
}
