package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// Topics of findings about a run before it begins.
const (
	aboutRate  = "rate"
	aboutLimit = "limit"
)

// isPredictable reports whether a run has the model's smoke settings, has a latency limit, and need not match another
// run.
func isPredictable(p *plan.Plan, t plan.Run) bool {
	return p.Profile == settings.Smoke && t.Settings.Profile == settings.Smoke && t.Mode == loadgen.PerformanceOnly &&
		t.Test == "" && p.Audit == "" && t.Users == 0 && !t.Streams && !t.Ranging &&
		len(t.Settings.Limits(settings.Alone{})) > 0
}

// predictRun uses the result of this session's SingleStream run to predict whether a smoke run can meet its limit. A
// Server run takes its rate from it.
func (s *planSession) predictRun(t *plan.Run) error {
	if !isPredictable(s.plan, *t) {
		return nil
	}
	a, ok := s.streamLatency(*t)
	if !ok {
		return nil
	}
	s.runner.streamed = true
	about, text := aboutLimit, t.Settings.Beyond(a)
	if text == "" && !t.TunedRate {
		var err error
		if text, err = t.Settings.UseStream(a); err != nil {
			return err
		}
		about = aboutRate
	}
	if text != "" {
		t.Outlook = append(t.Outlook, record.Finding{About: about, Text: text})
		s.watch.Note(s.runner.hideSecrets(text) + "\n")
	}
	return nil
}

// streamLatency returns the measurements of this session's SingleStream run.
func (s *planSession) streamLatency(t plan.Run) (settings.Alone, bool) {
	at := slices.IndexFunc(s.records, func(r record.Run) bool {
		return r.Model == t.Model && r.Scenario == loadgen.SingleStream.String() && r.Mode == plan.ModePerformance &&
			r.Test == "" && r.Status == record.Complete && r.Performance != nil
	})
	if at < 0 {
		return settings.Alone{}, false
	}
	p, percentile := s.records[at].Performance, limitPercentile(t.Settings)
	a := settings.Alone{
		Took: fmt.Sprintf("%s %% of SingleStream's samples took up to", figure.Short(100*percentile)),
		Mean: time.Duration(p.Latency.Mean), Latency: percentileFrom(p.Latency, percentile),
	}
	if p.Tokens != nil && p.Tokens.TTFT != nil && p.Tokens.TPOT != nil {
		a.FirstToken = percentileFrom(p.Tokens.TTFT.Latency, percentile)
		a.PerToken = percentileFrom(p.Tokens.TPOT.Latency, percentile)
	}
	return a, a.Mean > 0
}

// limitPercentile returns the share of queries that must meet the run's latency limit.
func limitPercentile(s settings.Settings) float64 {
	if s.Scenario == loadgen.MultiStream {
		return s.MultiStreamTargetLatencyPercentile
	}
	return s.ServerTargetLatencyPercentile
}

// percentileFrom returns the first recorded percentile that is p or higher.
func percentileFrom(l record.Latency, p float64) time.Duration {
	for _, q := range l.Percentiles {
		if q.P >= p {
			return time.Duration(q.NS)
		}
	}
	return time.Duration(l.Max)
}
