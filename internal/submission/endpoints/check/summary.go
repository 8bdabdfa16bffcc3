package check

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// summary is result_summary.json.
type summary struct{ r *schema.Record }

func (s *summary) total(of string) float64 { return s.r.Record(of).Float("total") }

// tokens are the output tokens, whole.
func (s *summary) tokens() float64 { return math.Trunc(s.total("output_sequence_lengths")) }

// throughput is output tokens per second; 0 where no time passed.
func (s *summary) throughput() float64 {
	seconds := s.r.Float("duration_ns") / 1e9
	if !(seconds > 0) {
		return 0
	}
	return s.tokens() / seconds
}

// tpot90 is the 90th percentile of the times per output token, in ms.
func (s *summary) tpot90() (ms float64, ok bool) {
	ns, ok := s.r.Record("tpot").Map("percentiles")["90"].(float64)
	return ns / 1e6, ok
}

// interactivity is output tokens over the time of turns.
func (s *summary) interactivity() (rate float64, ok bool) {
	tokens, seconds := s.r.Float("output_tokens_per_turn_total"), s.r.Float("e2e_turn_time_seconds_total")
	hasTokens, hasSeconds := s.r.Has("output_tokens_per_turn_total"), s.r.Has("e2e_turn_time_seconds_total")
	if !hasTokens && !hasSeconds && s.r.Int("n_samples_failed") == 0 {
		tokens, seconds, hasTokens, hasSeconds = s.total("output_sequence_lengths"), s.total("latency")/1e9, true, true
	}
	if !hasTokens || !hasSeconds || !(seconds > 0) {
		return 0, false
	}
	return tokens / seconds, true
}

// stored is a figure that the submitter wrote beside what it is derived from.
func (s *summary) stored(name string) (x float64, ok bool) {
	v, _ := s.r.Raw.Get(name)
	if v == nil {
		return 0, false
	}
	x, err := pyvalue.Float(v)
	if err != nil {
		return math.NaN(), true
	}
	return x, true
}

// storedTolerance is what a stored figure may be off by, as a share.
const storedTolerance = 0.01

// agree says whether a stored figure is the derived one, to 1 %.
func agree(stored, derived float64) bool {
	return math.Abs(stored-derived)/max(math.Abs(derived), 1e-9) <= storedTolerance
}

// resultRows are the rules of a point's results.
func (c *checker) resultRows(p *point, g *endpoints.Regions) {
	s, file := p.summary, p.results()
	c.durationRow(p, g)
	c.steadyBasis(p)
	if least, known := c.rules.MinQueries[p.config.Text("dataset")]; known {
		done := s.r.Int("n_samples_completed")
		if done < least {
			c.row("min-query-count", Error, file, "%d queries completed, want at least %d of %s", done, least,
				p.config.Text("dataset"))
		} else {
			c.row("min-query-count", Info, file, "%d queries completed, at least %d", done, least)
		}
	}
	ns := s.r.Float("duration_ns")
	if ns <= 0 {
		c.row("metric-consistency-duration", Error, file, "duration_ns is %v, want more than 0", ns)
	} else {
		c.row("metric-consistency-duration", Info, file, "the run took %.3f s", ns/1e9)
	}
	if issued := s.r.Int("n_samples_issued"); issued > 0 {
		done, failed := s.r.Int("n_samples_completed"), s.r.Int("n_samples_failed")
		if done+failed != issued {
			c.row("metric-consistency-accounting", Error, file, "%d completed and %d failed of %d issued", done, failed, issued)
		} else {
			c.row("metric-consistency-accounting", Info, file, "all %d samples completed or failed", issued)
		}
	}
	if s.tokens() < 0 {
		c.row("metric-consistency-output-tokens", Error, file, "%.0f output tokens", s.tokens())
	} else {
		c.row("metric-consistency-output-tokens", Info, file, "%.0f output tokens", s.tokens())
	}
	c.derivedRow("metric-consistency-system-tps", file, "system_tps", s, s.throughput())
	c.userRows(p)
	c.interactivityRow(s, file)
}

// derivedRow compares a stored figure with the derived one; without a stored one the derived one stands.
func (c *checker) derivedRow(rule, file, name string, s *summary, derived float64) {
	if stored, ok := s.stored(name); ok && !agree(stored, derived) {
		c.row(rule, Error, file, "%s is %v, but the file's own figures give %.4f", name, stored, derived)
		return
	}
	c.row(rule, Info, file, "%s is %.4f", name, derived)
}

func (c *checker) userRows(p *point) {
	const rule = "metric-consistency-tpot-p90"
	ms, known := p.summary.tpot90()
	switch {
	case p.dedicated():
		c.row(rule, Info, p.results(), "Offline has no times of users")
		return
	case !known:
		c.row(rule, Error, p.results(), "tpot.percentiles has no 90, of which tps_per_user is made")
		return
	case math.IsNaN(ms) || math.IsInf(ms, 0) || ms <= 0:
		c.row(rule, Error, p.results(), "the 90th percentile of TPOT is %v ms, want more than 0", ms)
		return
	}
	c.row(rule, Info, p.results(), "the 90th percentile of TPOT is %.4f ms", ms)
	c.derivedRow("metric-consistency-tps-per-user", p.results(), "tps_per_user", p.summary, 1000/ms)
}

func (c *checker) interactivityRow(s *summary, file string) {
	const rule, name = "agentic-metric-consistency", "e2e_avg_interactivity"
	derived, ok := s.interactivity()
	stored, has := s.stored(name)
	switch {
	case !ok && has:
		c.row(rule, Error, file, "%s is %v, but the file has not what it is made of", name, stored)
	case ok:
		c.derivedRow(rule, file, name, s, derived)
	}
}

// durationRow compares the steady window, or the whole run where there is none, with the least time.
func (c *checker) durationRow(p *point, g *endpoints.Regions) {
	if g == nil || g.Of(p.concurrency) == "" {
		return
	}
	ms, basis := p.summary.r.Float("duration_ns")/1e6, "the run"
	if w := p.config.Record("steady_state").Record("window"); w.Has("duration_s") {
		ms, basis = w.Float("duration_s")*1000, "the steady window"
	}
	least := float64(g.MinSeconds(p.concurrency, p.pattern() == patternAgentic)) * 1000
	if ms < least {
		c.row("point-duration", Warning, p.results(), "%s takes %.0f ms, want at least %.0f", basis, ms, least)
	} else {
		c.row("point-duration", Info, p.results(), "%s takes %.0f ms, at least %.0f", basis, ms, least)
	}
}

// steadyBasis says which figures are the point's official ones.
func (c *checker) steadyBasis(p *point) {
	const rule = "steady-state-basis"
	block, file := p.config.Record("steady_state"), p.results()
	switch {
	case block == nil:
		c.row(rule, Warning, file, "point.yaml has no steady_state: the figures are those of the whole run")
		return
	case steady.Status(block.Text("status")) == steady.Windowable:
		c.row(rule, Info, file, "the figures of the steady window are the official ones")
	default:
		c.row(rule, Warning, file, "the status is %q: the figures are those of the whole run", block.Text("status"))
	}
	if verdict := steady.Verdict(block.Text("verdict")); verdict == steady.DriftingUp || verdict == steady.DriftingDown {
		c.row(rule, Warning, file, "the verdict is %s: a percentile of what drifts is no point", verdict)
	}
}
