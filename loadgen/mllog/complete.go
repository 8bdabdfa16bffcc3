package mllog

import (
	"strconv"
	"strings"
)

// AddSummary adds the results of the summary that the detail log lacks, under the keys of later logs. Logs in the text
// form contain no results. Numbers have the summary's precision; rates have two decimals.
func (d *Detail) AddSummary(s *Summary) {
	add := func(key string, value any) {
		if !d.Has(key) {
			d.keepEntry(DetailEntry{Key: key, Value: value})
		}
	}
	if s.Result != "" {
		add("result_validity", s.Result)
	}
	for _, f := range s.Conditions {
		if key, ok := summaryKeys[f.Label]; ok {
			add(key, f.Value == "Yes")
		}
	}
	if len(s.Recommendations) > 0 {
		add("result_invalid_reason", strings.Join(s.Recommendations, " "))
	}
	for _, block := range append([][]Field{s.Headline}, s.Stats...) {
		for _, f := range block {
			number, ok := parseNumber(f.Value)
			if key := statKey(block, f.Label); ok && key != "" {
				add(key, number)
			}
		}
	}
}

// summaryKeys maps the labels of a summary to the keys of detail logs.
var summaryKeys = map[string]string{
	"Performance constraints satisfied": "result_perf_constraints_met",
	"Min duration satisfied":            "result_min_duration_met",
	"Min queries satisfied":             "result_min_queries_met",
	"Early stopping satisfied":          "early_stopping_met",
	"Samples per second":                "result_samples_per_second",
	"Scheduled samples per second":      "result_scheduled_samples_per_sec",
	"Completed samples per second":      "result_completed_samples_per_sec",
	"QPS w/ loadgen overhead":           "result_qps_with_loadgen_overhead",
	"QPS w/o loadgen overhead":          "result_qps_without_loadgen_overhead",
	"Min latency (ns)":                  "result_min_latency_ns",
	"Max latency (ns)":                  "result_max_latency_ns",
	"Mean latency (ns)":                 "result_mean_latency_ns",
}

// The headings of MultiStream's blocks, which determine the meaning of the percentiles below them.
const (
	headIntervals = "Intervals between each IssueQuery"
	headQueries   = "Per-query latency"
)

// statKey returns the detail log's key of a label, or "" if the label is not a result. The meaning of a percentile
// depends on the heading of its block.
func statKey(block []Field, label string) string {
	rank, what, ok := strings.Cut(label, " percentile")
	if _, err := strconv.ParseFloat(rank, 64); !ok || err != nil || !strings.Contains(rank, ".") {
		return summaryKeys[label]
	}
	of := block[0].Label
	switch {
	case what == "" && of == headIntervals:
		return "result_" + rank + "_percentile_num_intervals_between_queries"
	case what == " latency (ns)" && of == headQueries:
		return "result_" + rank + "_percentile_per_query_latency_ns"
	case what == " latency (ns)":
		return "result_" + rank + "_percentile_latency_ns"
	}
	return ""
}
