package record

import (
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// FromResult copies LoadGen's measurements and verdict.
func (r *Run) FromResult(res *loadgen.Result) {
	r.Started = res.Started
	r.Duration, r.Took = res.Duration.Seconds(), figure.Seconds(res.Duration)
	r.Effective = effectiveOf(res.Effective)
	for _, m := range res.Errors {
		r.Messages = append(r.Messages, Message{m.Key, m.Message, false})
	}
	for _, m := range res.Warnings {
		r.Messages = append(r.Messages, Message{m.Key, m.Message, true})
	}
	for _, n := range res.Notes {
		r.Notes = append(r.Notes, Finding(n))
	}
	if r.Mode == modeAccuracy {
		return
	}
	for _, reason := range res.Reasons {
		r.Reasons = append(r.Reasons, Reason(reason))
	}
	r.Performance = performanceOf(res)
}

// modeAccuracy is the mode of a run without a verdict by LoadGen.
const modeAccuracy = "accuracy"

func performanceOf(res *loadgen.Result) *Performance {
	p := &Performance{
		Valid:   res.Verdict == loadgen.Valid,
		Checks:  Checks{res.PerformanceConstraintsMet, res.MinDurationMet, res.MinQueriesMet, nil},
		Queries: res.QueryCount, Samples: res.SampleCount, Over: res.OverlatencyCount,
		Latency: *latencyOf(res.Latency),
		Figures: headlineFigures(res), Tokens: tokensOf(res), Intervals: intervalsOf(res.Intervals), Peak: peakOf(res),
	}
	if !res.Effective.NoEarlyStopping {
		p.Checks.EarlyStopping = &res.EarlyStoppingMet
	}
	switch res.Effective.Scenario {
	case loadgen.MultiStream:
		p.Query = latencyOf(res.QueryLatency)
	case loadgen.Server:
		if res.IssueDelay.N > 0 { // a result read from a log has no issue delays
			p.Issue = latencyOf(res.IssueDelay)
		}
	}
	if res.Effective.Scenario != loadgen.Offline && !res.Effective.NoEarlyStopping {
		p.Early = earlyStoppingOf(&res.EarlyStopping)
		p.Early99 = earlyStoppingOf(res.EarlyStopping99)
	}
	p.setHeadline(res)
	return p
}

// headlineFigures returns the headline numbers except the metric.
func headlineFigures(res *loadgen.Result) []Figure {
	samples := metric.Latency
	if res.Effective.Scenario == loadgen.MultiStream {
		samples = samples.OfSamples()
	}
	out := []Figure{
		figureOf(samples.Mean(), figure.Millis(res.Latency.Mean)),
		figureOf(metric.TargetLatency, figure.Millis(res.TargetPercentile.Latency)),
	}
	rates := append([]Figure{
		figureOf(metric.QueriesPerSecond, res.QPSWithOverhead),
		figureOf(metric.QueriesPerSecondWithout, res.QPSWithoutOverhead),
		figureOf(metric.ScheduledSamplesPerSecond, res.ScheduledSamplesPerSec),
		figureOf(metric.CompletedSamplesPerSecond, res.CompletedSamplesPerSec),
		figureOf(metric.SamplesPerSecond, res.SamplesPerSec),
		figureOf(metric.InferredTokensPerSecond, res.InferredTokensPerSec),
	}, tokenRates(res.Tokens)...)
	for _, f := range rates {
		if f.Value != 0 {
			out = append(out, f)
		}
	}
	return out
}

// setHeadline sets the scenario's result. A latency is LoadGen's estimate of the percentile or, without an estimate,
// the measured percentile. Latencies are converted from nanoseconds to milliseconds, the unit in which they are
// published.
func (p *Performance) setHeadline(res *loadgen.Result) {
	if res.MetricUnit != "ns" {
		p.Metric = figureOf(metric.ResultOf(res.MetricName, res.MetricUnit), res.Metric)
		if res.MetricUnit == "samples" { // counts are not rounded
			p.Metric.Rounded = figure.Count(uint64(res.Metric))
		}
		return
	}
	p.Metric.Unit = metric.Millis
	of := metric.Latency
	if res.Effective.Scenario == loadgen.MultiStream {
		of = metric.QueryLatency
	}
	info, ok := p.estimateInfo(res.Effective.Scenario.String())
	if !ok {
		info = metric.ResultOf(of.At(res.TargetPercentile.P).Title, metric.Millis)
	}
	p.Metric = figureOf(info, res.Metric/float64(time.Millisecond))
}

// figureOf returns a number rounded as the rules require.
func figureOf(i metric.Info, v float64) Figure {
	return Figure{Name: i.Title, Metric: i.Name, Unit: i.Unit, Value: figure.Number(v), Rounded: figure.Round(v)}
}

func latencyOf(l loadgen.LatencySummary) *Latency {
	out := &Latency{Count: l.N, Min: int64(l.Min), Max: int64(l.Max), Mean: int64(l.Mean), Percentiles: []Percentile{}}
	for _, p := range l.Percentiles {
		out.Percentiles = append(out.Percentiles, Percentile{p.P, int64(p.Latency)})
	}
	return out
}

func earlyStoppingOf(e *loadgen.EarlyStopping) *EarlyStopping {
	if e == nil {
		return nil
	}
	return &EarlyStopping{
		Met: e.Met, Percentile: e.Percentile, EstimateNS: int64(e.Estimate), Processed: e.QueriesProcessed,
		Needed: e.QueriesNeeded, Overlatency: e.Overlatency, Text: e.Text,
	}
}

func effectiveOf(e loadgen.EffectiveSettings) *Effective {
	return &Effective{
		Scenario: e.Scenario.String(), TestMode: e.Mode.String(), SamplesPerQuery: e.SamplesPerQuery,
		TargetQPS: figure.Number(e.TargetQPS), TargetLatencyNS: int64(e.TargetLatency),
		TargetLatencyPercentile: e.TargetLatencyPercentile,
		MaxAsyncQueries:         e.MaxAsyncQueries, TargetDurationMS: e.TargetDuration.Milliseconds(),
		MinDurationMS: e.MinDuration.Milliseconds(), MaxDurationMS: e.MaxDuration.Milliseconds(),
		MinQueryCount: e.MinQueryCount, MaxQueryCount: e.MaxQueryCount, MinSampleCount: e.MinSampleCount,
		QSLRNGSeed: e.QSLRNGSeed, SampleIndexRNGSeed: e.SampleIndexRNGSeed, ScheduleRNGSeed: e.ScheduleRNGSeed,
		AccuracyLogRNGSeed: e.AccuracyLogRNGSeed, PerformanceSampleCount: e.PerformanceSampleCount,
		AccuracySampleCount: e.AccuracySampleCount,
	}
}

// FromOptions copies the options that the plugin opens, except secrets.
func (r *Run) FromOptions(o sdk.Options) {
	r.Options = Options{
		ModelFile: o.ModelFile, Precision: o.Precision, Dataset: o.Dataset, Count: o.Count, Batch: o.Batch,
		Sessions: o.Sessions,
		Backend:  o.Backend, BackendOptions: copyDictionary(o.BackendOptions), Params: copyDictionary(o.Params),
		Devices:   o.Devices,
		PartFiles: o.PartFiles,
	}
}

func copyDictionary(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// FromWorkload copies the description of the opened workload.
func (r *Run) FromWorkload(w sdk.WorkloadInfo, sut, qsl string) {
	r.Workload = &Workload{
		ModelFile: w.ModelFile, Embedded: w.Embedded, Precision: w.Precision, ModelSHA256: w.ModelSHA256,
		ModelSize: w.ModelSize,
		Dataset:   w.Dataset, DatasetSize: w.DatasetSize, PerformanceSampleCount: w.PerformanceSampleCount,
		Backend: w.Backend, BackendInfo: copyDictionary(w.BackendInfo), Batch: w.Batch, Sessions: w.Sessions, SUT: sut,
		QSL:   qsl,
		Parts: partsOf(w.Parts),
	}
}

// NewAccuracy combines a score with its verdict.
func NewAccuracy(v judge.Verdict, s sdk.Score, logSHA256 string) *Accuracy {
	return &Accuracy{Verdict: v, Samples: s.Samples, OfficialText: s.OfficialText, Notes: s.Notes, LogSHA256: logSHA256,
		Scorer: partsOf(s.Parts)}
}
