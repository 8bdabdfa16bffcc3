package otlp

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/measure"
)

// metricProducer converts the table of measures to OpenTelemetry's metrics. It uses the existing counts, so samples are
// not recorded twice.
type metricProducer struct {
	feed   *feed.Feed
	bounds []time.Duration
	upTo   []float64 // bounds in seconds
}

func newProducer(f *feed.Feed) *metricProducer {
	p := &metricProducer{feed: f, bounds: feed.CoarseBounds()}
	p.upTo = make([]float64, len(p.bounds))
	for i, bound := range p.bounds {
		p.upTo[i] = bound.Seconds()
	}
	return p
}

// Produce implements metric.Producer.
func (p *metricProducer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: "github.com/plumbline-ml/plumbline"}}
	for _, m := range measure.AllMeasures() {
		if data := p.aggregateMeasure(m); data != nil {
			out.Metrics = append(out.Metrics, metricdata.Metrics{
				Name: m.Name, Description: m.Help, Unit: m.Unit, Data: data,
			})
		}
	}
	return []metricdata.ScopeMetrics{out}, nil
}

// aggregateMeasure returns a measure of all runs, or nil if no run has it.
func (p *metricProducer) aggregateMeasure(m measure.Measure) metricdata.Aggregation {
	var values []metricdata.DataPoint[float64]
	var times []metricdata.HistogramDataPoint[float64]
	now := time.Now()
	p.feed.EachRun(func(r *feed.Run) {
		m.EachPoint(r, func(of measure.MeasurePoint) {
			began, labels := runStart(r, now), pointAttributes(m, of)
			if of.Times != nil {
				times = append(times, p.histogramPoint(of.Times, began, now, labels))
				return
			}
			values = append(values, metricdata.DataPoint[float64]{
				Attributes: labels, StartTime: began, Time: now, Value: of.Value,
			})
		})
	})
	switch {
	case len(values)+len(times) == 0:
		return nil
	case m.Kind == measure.Distribution:
		return metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality, DataPoints: times}
	case m.Kind == measure.Counter:
		return metricdata.Sum[float64]{
			Temporality: metricdata.CumulativeTemporality, IsMonotonic: true, DataPoints: values,
		}
	}
	return metricdata.Gauge[float64]{DataPoints: values}
}

// runStart returns the start time of a run's counts.
func runStart(r *feed.Run, now time.Time) time.Time {
	if r.Began.IsZero() {
		return now
	}
	return r.Began
}

func pointAttributes(m measure.Measure, p measure.MeasurePoint) attribute.Set {
	var all []attribute.KeyValue
	for i, name := range m.LabelNames() {
		all = append(all, attribute.String(name, p.Labels[i]))
	}
	return attribute.NewSet(all...)
}

// histogramPoint returns a histogram with one count per bound and one for larger times.
func (p *metricProducer) histogramPoint(h *feed.Histogram, began, now time.Time,
	labels attribute.Set) metricdata.HistogramDataPoint[float64] {
	counts, below := make([]uint64, len(p.bounds)+1), uint64(0)
	for i, n := range h.CountUpTo(p.bounds) {
		counts[i], below = n-below, n
	}
	counts[len(p.bounds)] = h.N - below
	return metricdata.HistogramDataPoint[float64]{
		Attributes: labels, StartTime: began, Time: now, Count: h.N, Sum: h.Sum / 1e9,
		Bounds: p.upTo, BucketCounts: counts, Max: metricdata.NewExtrema(h.Max.Seconds()),
	}
}
