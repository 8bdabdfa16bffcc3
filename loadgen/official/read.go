package official

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// Read adds the results of a detail log to r. The log may be of any LoadGen version, and r's Requested and Effective
// must be set. A log in the text form needs its summary first: [mllog.Detail.AddSummary]. The result is the value that
// the round published: the number of streams of MultiStream with an arrival interval, Server's scheduled rate before
// v4.0, plain percentiles before early stopping. Fields without an entry in the log stay empty: samples above a token
// limit, issue delays, pauses and notes. Before v1.1 the counts of queries are empty too, except for Offline's single
// query.
func Read(d *mllog.Detail, r *loadgen.Result) error {
	for _, list := range [][]mllog.DetailEntry{d.Errors, d.Warnings} {
		for _, e := range list {
			text, _ := e.Text()
			m := loadgen.LoggedError{Key: e.Key, Message: text, Warning: e.Warning}
			if e.Warning {
				r.Warnings = append(r.Warnings, m)
			} else {
				r.Errors = append(r.Errors, m)
			}
		}
	}
	l := logReading{d, r}
	return l.finishResult()
}

// logReading holds a detail log and the result that is read from it.
type logReading struct {
	log *mllog.Detail
	r   *loadgen.Result
}

// lastEntry returns the last entry of a key. If a log has an accuracy part and a performance part, the last entry is
// that of the performance part.
func (l *logReading) lastEntry(key string) mllog.DetailEntry {
	all := l.log.All(key)
	if len(all) == 0 {
		return mllog.DetailEntry{}
	}
	return all[len(all)-1]
}

func (l *logReading) numberOf(key string) float64 {
	v, _ := l.lastEntry(key).Float()
	return v
}

func (l *logReading) countOf(key string) uint64 {
	v, _ := l.lastEntry(key).Uint()
	return v
}

func (l *logReading) durationOf(key string) time.Duration { return time.Duration(l.numberOf(key)) }

func (l *logReading) textOf(key string) string {
	v, _ := l.lastEntry(key).Text()
	return v
}

// flagOf returns a flag of the log, or true if the log has no such flag.
func (l *logReading) flagOf(key string) bool {
	v, is := l.lastEntry(key).Value.(bool)
	return v || !is
}

// powerTime is the time layout of power_begin and power_end, which are in UTC.
const powerTime = "01-02-2006 15:04:05.000"

// finishResult fills in the result from the log.
func (l *logReading) finishResult() error {
	r := l.r
	begin, err1 := time.Parse(powerTime, l.textOf("power_begin"))
	end, err2 := time.Parse(powerTime, l.textOf("power_end"))
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("the log has no complete test: %w", err)
	}
	r.Started, r.Duration = begin, end.Sub(begin)
	if r.Effective.Mode == loadgen.AccuracyOnly {
		return nil
	}
	switch verdict := loadgen.Verdict(l.textOf("result_validity")); verdict {
	case loadgen.Valid, loadgen.Invalid:
		r.Verdict = verdict
	default:
		return fmt.Errorf("the log has result_validity %q, want VALID or INVALID", verdict)
	}
	r.PerformanceConstraintsMet = l.flagOf("result_perf_constraints_met")
	r.MinDurationMet, r.MinQueriesMet = l.flagOf("result_min_duration_met"), l.flagOf("result_min_queries_met")
	r.EarlyStoppingMet = l.flagOf("early_stopping_met")
	r.Effective.NoEarlyStopping = !l.log.Has("early_stopping_met")
	r.QueryCount = l.countOf("result_query_count")
	if r.QueryCount == 0 && r.Effective.Scenario == loadgen.Offline {
		r.QueryCount = l.countOf("generated_query_count")
	}
	r.SampleCount = r.QueryCount * l.countOf("generated_samples_per_query")
	l.readLatencies()
	l.readRates()
	l.readTokens()
	l.readArrivals()
	setHeadline(r)
	if r.Effective.Scenario == loadgen.Server && usesSchedule(l.textOf("loadgen_version")) {
		r.MetricName, r.Metric = "scheduled samples per second", r.ScheduledSamplesPerSec
	}
	l.readSearch()
	r.Reasons = reasons(r, l.textOf("result_invalid_reason"))
	return nil
}

// usesSchedule reports whether rounds with this LoadGen version published Server's scheduled rate. They are the
// official versions up to 3.1. LoadGens before 1.1 write the version ".5a1".
func usesSchedule(version string) bool {
	number, _, _ := strings.Cut(version, " ")
	major, _, dotted := strings.Cut(number, ".")
	if major == "" {
		return dotted
	}
	n, err := strconv.ParseUint(major, 10, 32)
	return err == nil && n < 4
}

// readArrivals reads MultiStream's arrival interval. LoadGens before v2.0 log a rate, ours logs the interval.
func (l *logReading) readArrivals() {
	r := l.r
	if r.Effective.Scenario != loadgen.MultiStream {
		return
	}
	r.Effective.ArrivalInterval = l.durationOf("requested_multi_stream_arrival_interval_ns")
	if rate := l.numberOf("requested_multi_stream_target_qps"); rate > 0 {
		r.Effective.ArrivalInterval = time.Duration(1e9 / rate)
	}
	if l.log.Has("result_skipped_interval_count") {
		r.Intervals = &loadgen.Intervals{
			Interval: r.Effective.ArrivalInterval, Skipped: l.countOf("result_skipped_interval_count"),
			Overtime: l.countOf("result_overtime_query_count"), Allowed: l.countOf("result_allowed_overtime_query_count"),
			Counted: r.QueryCount,
		}
	}
}

// percentiles lists the percentiles in the logs.
var percentiles = [...]float64{.50, .90, .95, .97, .99, .999}

// readSummary reads the latencies of n samples from entries such as result_OFmin_NAME.
func (l *logReading) readSummary(n uint64, of, name, percentile string) loadgen.LatencySummary {
	s := loadgen.LatencySummary{
		N: int(n), Min: l.durationOf("result_" + of + "min_" + name), Max: l.durationOf("result_" + of + "max_" + name),
		Mean: l.durationOf("result_" + of + "mean_" + name),
	}
	for _, p := range percentiles {
		key := fmt.Sprintf("result_%s%.2f_%s", of, 100*p, percentile)
		s.Percentiles = append(s.Percentiles, loadgen.Percentile{P: p, Latency: l.durationOf(key)})
	}
	return s
}

func (l *logReading) readLatencies() {
	r := l.r
	r.Latency = l.readSummary(r.SampleCount, "", "latency_ns", "percentile_latency_ns")
	r.QueryLatency = r.Latency
	if r.Effective.Scenario == loadgen.MultiStream {
		r.QueryLatency = l.readSummary(r.QueryCount, "", "query_latency_ns", "percentile_per_query_latency_ns")
	}
	r.OverlatencyCount = l.countOf("result_overlatency_query_count")
	r.TargetPercentile = percentileAt(r.QueryLatency, r.Effective.TargetLatencyPercentile)
	r.EarlyStopping = loadgen.EarlyStopping{
		Met: r.EarlyStoppingMet, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount,
		Overlatency: r.OverlatencyCount, Text: l.textOf("early_stopping_result"),
	}
	switch r.Effective.Scenario {
	case loadgen.SingleStream:
		r.EarlyStopping.Estimate = l.durationOf("early_stopping_latency_ss")
		second := loadgen.EarlyStopping{
			Percentile: .99, QueriesProcessed: r.QueryCount, Estimate: l.durationOf("early_stopping_latency_ms"),
		}
		second.Met = second.Estimate > 0
		r.EarlyStopping99 = &second
	case loadgen.MultiStream:
		r.EarlyStopping.Estimate = l.durationOf("early_stopping_latency_ms")
	}
}

// percentileAt returns the latency at percentile p, or a zero latency if the logs lack it.
func percentileAt(s loadgen.LatencySummary, p float64) loadgen.Percentile {
	for _, found := range s.Percentiles {
		if found.P == p {
			return found
		}
	}
	return loadgen.Percentile{P: p}
}

func (l *logReading) readRates() {
	r := l.r
	r.QPSWithOverhead = l.numberOf("result_qps_with_loadgen_overhead")
	r.QPSWithoutOverhead = l.numberOf("result_qps_without_loadgen_overhead")
	r.ScheduledSamplesPerSec = l.numberOf("result_scheduled_samples_per_sec")
	r.CompletedSamplesPerSec = l.numberOf("result_completed_samples_per_sec")
	r.SamplesPerSec = l.numberOf("result_samples_per_second")
	r.InferredTokensPerSec = l.numberOf("result_inferred_completed_tokens_per_second") +
		l.numberOf("result_inferred_tokens_per_second")
}

// readTokens reads the measurements of a token run.
func (l *logReading) readTokens() {
	r := l.r
	if !r.Requested.UseTokenLatencies {
		return
	}
	t := &loadgen.TokenResult{
		PerSec:          l.numberOf("result_completed_tokens_per_second") + l.numberOf("result_tokens_per_second"),
		WithOverhead:    l.numberOf("result_token_throughput_with_loadgen_overhead"),
		WithoutOverhead: 1e9 * l.numberOf("result_token_throughput"),
	}
	r.Tokens = t
	if r.Effective.Scenario == loadgen.Offline {
		return
	}
	t.TTFT.Latency = l.readSummary(r.SampleCount, "first_token_", "latency_ns", "percentile_latency_ns")
	t.TPOT.Latency = l.readSummary(r.SampleCount, "time_per_output_token_", "", "percentile_ns")
	t.TPOT.Latency.Min = l.durationOf("result_time_to_output_token_min")
	t.TPOT.Latency.Max = l.durationOf("result_time_to_output_token_max")
	t.TPOT.Latency.Mean = l.durationOf("result_time_to_output_token_mean")
	t.TTFT.Target = percentileAt(t.TTFT.Latency, r.TargetPercentile.P)
	t.TPOT.Target = percentileAt(t.TPOT.Latency, r.TargetPercentile.P)
	t.TTFT.EarlyStopping, t.TPOT.EarlyStopping = r.EarlyStopping, r.EarlyStopping
	t.TTFT.EarlyStopping.Text = l.textOf("early_stopping_ttft_result")
	t.TPOT.EarlyStopping.Text = l.textOf("early_stopping_tpot_result")
	t.TTFT.EarlyStopping99 = r.EarlyStopping99
	if r.Effective.Scenario == loadgen.Server {
		t.TTFT.Limit, t.TPOT.Limit = r.Requested.ServerTTFTLatency, r.Requested.ServerTPOTLatency
	}
	r.EarlyStopping.Text = t.TTFT.EarlyStopping.Text
}

// setHeadline sets the name, the unit and the value of the scenario's metric. The value is 0 if none was measured.
func setHeadline(r *loadgen.Result) {
	latency := func(what string) {
		r.MetricName, r.MetricUnit = fmt.Sprintf("%gth percentile %s", 100*r.TargetPercentile.P, what), "ns"
		r.Metric = float64(r.TargetPercentile.Latency)
		if r.EarlyStopping.Estimate > 0 {
			r.Metric = float64(r.EarlyStopping.Estimate)
		}
	}
	rate := func(name string, samples float64) {
		r.MetricName, r.MetricUnit, r.Metric = name+" per second", "samples/s", samples
	}
	switch r.Effective.Scenario {
	case loadgen.SingleStream:
		latency("latency")
		if r.Tokens != nil {
			latency("first token latency")
		}
	case loadgen.MultiStream:
		latency("query latency")
		if r.Effective.ArrivalInterval > 0 {
			r.MetricName, r.MetricUnit, r.Metric = "samples per query", "samples", float64(r.Effective.SamplesPerQuery)
		}
	case loadgen.Server:
		rate("completed samples", r.CompletedSamplesPerSec)
		if r.Tokens != nil {
			r.MetricName, r.MetricUnit, r.Metric = "completed tokens per second", "tokens/s", r.Tokens.PerSec
		}
	case loadgen.Offline:
		rate("samples", r.SamplesPerSec)
		if r.Tokens != nil {
			r.MetricName, r.MetricUnit, r.Metric = "tokens per second", "tokens/s", r.Tokens.PerSec
		}
	}
}
