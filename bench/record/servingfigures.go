package record

import (
	"slices"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// nsPerMilli is the number of nanoseconds in a millisecond.
const nsPerMilli = 1e6

// servedTimes is a distribution of a server's figures.
type servedTimes struct {
	metric.Times
	d metrics.Distribution
}

func timesOf(f *metrics.Figures) []servedTimes {
	return []servedTimes{
		{metric.TTFT, f.TTFT}, {metric.TTFO, f.TTFO}, {metric.TPOT, f.TPOT}, {metric.E2E, f.E2E}, {metric.Gap, f.Gap},
		{metric.Stall, f.Stall}, {metric.Queueing, f.Queue}, {metric.TTFTSent, f.TTFTSent}, {metric.E2ESent, f.E2ESent},
	}
}

// Valueless lists the figures that a complete measurement of a server always has but that have no value in this run,
// for example the times of answers if there was no answer. They are not unknown, and they do not meet limits. Values
// are zero.
func (r Run) Valueless() []metric.Metric {
	if r.Status != Complete || r.Serving == nil || r.Serving.Figures == nil || r.Serving.Replay != nil {
		return nil
	}
	percentiles := map[string][]float64{}
	for _, o := range r.Serving.Objectives {
		if p, ok := metrics.ParsePercentile(o.Term.Stat); ok {
			percentiles[o.Term.Metric] = append(percentiles[o.Term.Metric], p)
		}
	}
	has := r.runFigures()
	asked := map[string]bool{ // figures that exist only if they were requested or if the server reports them
		metric.Goodput.Name: r.Serving.Figures.Good != nil, metric.Attainment.Name: r.Serving.Figures.Good != nil,
		metric.TokensPerGPU.Name: false, metric.MillionTokenCost.Name: false, metric.CachedTokens.Name: false,
	}
	return slices.DeleteFunc(ServingMetricNames(percentiles), func(m metric.Metric) bool {
		is, conditional := asked[m.Name]
		return conditional && !is || metric.IsPower(m.Info) ||
			slices.ContainsFunc(has, func(h metric.Metric) bool { return h.Name == m.Name })
	})
}

// addServing adds the figures of a server.
func (l *figureList) addServing(s *Serving) {
	if s == nil || s.Figures == nil {
		return
	}
	f := s.Figures
	known := func(i metric.Info, v *float64, scale float64) {
		if v != nil {
			l.addFigure(i, *v*scale)
		}
	}
	known(metric.TokensPerSecond, f.CountedTokensPerSec(), 1)
	known(metric.RequestsPerSecond, f.RequestsPerSec, 1)
	known(metric.User, f.UserRate(), 1)
	known(metric.Goodput, f.Goodput, 1)
	known(metric.Attainment, f.Attainment, 100)
	known(metric.TokensPerGPU, f.TokensPerSecPerGPU, 1)
	known(metric.MillionTokenCost, f.MillionTokenCost, 1)
	for _, of := range timesOf(f) {
		l.addDistribution(of.Times, of.d)
	}
	if f.Requests > 0 {
		l.addFigure(metric.FailedRequests, 100*float64(f.FailedTotal())/float64(f.Requests))
	}
	known(metric.CachedTokens, f.CachedShare, 100)
	l.addFigure(metric.Requests, float64(f.Requests))
	l.addFigure(metric.Concurrency, f.ConcurrencyMean)
	l.addFigure(metric.ConcurrencyPeak, float64(f.ConcurrencyPeak))
}

// addDistribution adds the statistics of times in nanoseconds.
func (l *figureList) addDistribution(of metric.Times, d metrics.Distribution) {
	if d.N == 0 {
		return
	}
	l.addFigure(of.Mean(), d.Mean/nsPerMilli)
	for _, p := range d.Percentiles {
		l.addFigure(of.At(p.P), p.Value/nsPerMilli)
	}
	l.addFigure(of.Min(), d.Min/nsPerMilli)
	l.addFigure(of.Max(), d.Max/nsPerMilli)
}
