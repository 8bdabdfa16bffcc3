package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// checkMetric checks that the result is a number and equals the value in the summary.
func (r *resultFolder) checkMetric() {
	l := r.countedRun()
	r.checkSummaryMetric(l)
	metric, ok := r.checker.rules.Metric(r.model, l.logScenario())
	if !ok {
		return // the check of the scenario or the model reports it
	}
	key := metric.Key
	if r.inferred {
		key = inferredKeys[l.logScenario()+" "+r.scenario]
	}
	logged, ok := l.printedNumber(key)
	if e, _ := l.detail.First(key); isText(e.Value) {
		r.addWarning(ruleMetric, l.logPath(), "the result is text", l.quotedValue(key), "a number",
			"file the log as LoadGen wrote it")
	}
	if !ok || !(logged > 0) || math.IsInf(logged, 1) {
		r.addReject(ruleMetric, l.logPath(), "there is no result", l.quotedValue(key), "a number above 0",
			"file the log as LoadGen wrote it; an estimate of 0 says that the run had too few queries")
		return
	}
	r.checkRates(l, metric.Key)
	if !r.inferred {
		r.metric, r.unit = metric.Value(logged), metric.Unit
	}
}

// checkRates checks that all rates that the official checker parses are numbers: the samples per second of token
// results, and the run's own rate of inferred results.
func (r *resultFolder) checkRates(l *runLog, own string) {
	common, _ := r.checker.rules.Metric("", l.logScenario())
	for _, key := range slices.Compact([]string{common.Key, own}) {
		if _, ok := l.printedNumber(key); !ok {
			r.addReject(ruleMetric, l.logPath(), "a result is no number", key+" "+l.quotedValue(key), "a number",
				"file the log as LoadGen wrote it")
		}
	}
}

// inferredKeys contains the log entries from which results are inferred, by pair of scenarios.
var inferredKeys = map[string]string{
	"SingleStream MultiStream": "early_stopping_latency_ms",
	"SingleStream Offline":     "result_qps_without_loadgen_overhead",
	"MultiStream Offline":      "result_mean_query_latency_ns",
}

// printedNumber returns the first value of a key as a number, even if the log contains it as text.
func (l *runLog) printedNumber(key string) (float64, bool) {
	e, _ := l.detail.First(key)
	if text, is := e.Text(); is {
		return parseNumber(text)
	}
	return e.Float()
}

func parseNumber(text string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return v, err == nil
}

// rateKeys contains the log entries of rates by their labels in a summary.
var rateKeys = map[string]string{
	"Samples per second":           "result_samples_per_second",
	"Tokens per second":            "result_tokens_per_second",
	"Completed samples per second": "result_completed_samples_per_sec",
	"Completed tokens per second":  "result_completed_tokens_per_second",
	"Scheduled samples per second": "result_scheduled_samples_per_sec",
	"QPS w/o loadgen overhead":     "result_qps_without_loadgen_overhead",
}

// latencyKeys contains the log entries of a kind of latency. %s stands for the percentile, or for min, max or mean.
type latencyKeys struct {
	percentileLabel, percentileKey string // follows "99.00 percentile "
	label, extremeKey              string // follows "Mean "
}

var sampleLatencies = []latencyKeys{
	{"latency (ns)", "result_%s_percentile_latency_ns", "latency (ns)", "result_%s_latency_ns"},
	{"first token latency (ns)", "result_first_token_%s_percentile_latency_ns",
		"First Token latency (ns)", "result_first_token_%s_latency_ns"},
	{"time to output token (ns)", "result_time_per_output_token_%s_percentile_ns",
		"Time per Output Token (ns)", "result_time_to_output_token_%s"},
}

// queryLatencies contains the log entries of query latencies. MultiStream's summary shows these instead of sample
// latencies. If the result is a number of streams, the summary shows both, with query latencies below the heading
// queryHeading.
var queryLatencies = []latencyKeys{
	{"latency (ns)", "result_%s_percentile_per_query_latency_ns", "latency (ns)", "result_%s_query_latency_ns"},
}

// queryHeading is the heading of query latencies in summaries of rounds with streams in MultiStream.
const queryHeading = "Per-query latency"

// showsQueries reports whether a block of the summary shows query latencies.
func (r *resultFolder) showsQueries(l *runLog, block []mllog.Field) bool {
	if r.checker.rules.HasStreams() {
		return block[0].Label == queryHeading
	}
	return strings.EqualFold(l.logScenario(), "MultiStream")
}

// summaryKey returns the log entry for a label of the summary; empty: the label is not compared.
func summaryKey(label string, ofQueries bool) string {
	if key, ok := rateKeys[label]; ok {
		return key
	}
	kinds := sampleLatencies
	if ofQueries {
		kinds = queryLatencies
	}
	first, rest, _ := strings.Cut(label, " ")
	rest, isPercentile := strings.CutPrefix(rest, "percentile ")
	percentile, err := strconv.ParseFloat(strings.TrimSuffix(first, "th"), 64) // the headline writes 99.0th
	for _, k := range kinds {
		switch {
		case isPercentile && err == nil && rest == k.percentileLabel:
			return fmt.Sprintf(k.percentileKey, strconv.FormatFloat(percentile, 'f', 2, 64))
		case !isPercentile && rest == k.label && slices.Contains([]string{"Min", "Max", "Mean"}, first):
			return fmt.Sprintf(k.extremeKey, strings.ToLower(first))
		}
	}
	return ""
}

// estimateKeys contains the log entries of early stopping's estimates.
var estimateKeys = []struct{ label, key string }{
	{"90.0th percentile estimate: ", "early_stopping_latency_ss"}, {"99.0th percentile estimate: ",
		"early_stopping_latency_ms"},
}

// checkSummaryMetric checks that the summary's numbers equal those in the detail log.
func (r *resultFolder) checkSummaryMetric(l *runLog) {
	if l.summary == nil {
		return
	}
	for _, block := range append([][]mllog.Field{l.summary.Headline}, l.summary.Stats...) {
		for _, f := range block {
			r.compareSummary(l, summaryKey(f.Label, r.showsQueries(l, block)), f.Value)
		}
	}
	for _, f := range l.summary.EarlyStopping {
		if strings.HasPrefix(f.Label, "TPOT") { // the keys contain the estimates of the first token
			continue
		}
		for line := range strings.Lines(f.Value) {
			for _, c := range estimateKeys {
				if _, estimate, ok := strings.Cut(line, c.label); ok {
					r.compareSummary(l, c.key, strings.TrimSpace(estimate))
				}
			}
		}
	}
}

func (r *resultFolder) compareSummary(l *runLog, key, text string) {
	said, ok := parsePrinted(text)
	is, has := l.printedNumber(key)
	if ok && has && !said.canShow(is) {
		r.addReject(ruleMetric, l.logPath(), "summary and detail log disagree", l.quotedValue(key),
			text+", as in the summary",
			"file the logs of one run as LoadGen wrote them").Other = l.summaryPath()
	}
}
