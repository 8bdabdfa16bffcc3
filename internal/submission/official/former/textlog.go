package former

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Lines of a summary as the checkers of v0.5 and v0.7 read them.
var (
	validLine   = regexp.MustCompile(`^Result[\s\p{Z}]+is[\s\p{Z}]*:[\s\p{Z}]+VALID`)
	summaryLine = regexp.MustCompile(`^[\s\p{Z}]*([\p{L}\p{N}_\s\p{Z}.()/]+)[\s\p{Z}]*:[\s\p{Z}]*` +
		`([\p{L}\p{N}_+.][\p{L}\p{N}_+.\s\p{Z}]*)`)
)

// wholeLabels contains the labels of required whole numbers in summaries, with the keys of later detail logs.
var wholeLabels = map[string]string{
	"performance_sample_count": "effective_performance_sample_count", "qsl_rng_seed": "effective_qsl_rng_seed",
	"sample_index_rng_seed": "effective_sample_index_rng_seed", "schedule_rng_seed": "effective_schedule_rng_seed",
	"99.00 percentile latency (ns)": "result_99.00_percentile_latency_ns", "min_query_count": "effective_min_query_count",
	"samples_per_query": "effective_samples_per_query", "min_duration (ms)": detail.KeyDuration,
}

// resultLabels contains the labels of results by scenario, with the keys of later detail logs.
var resultLabels = map[string]struct{ label, key string }{
	"Offline":      {"Samples per second", "result_samples_per_second"},
	"SingleStream": {"90th percentile latency (ns)", "result_90.00_percentile_latency_ns"},
	"MultiStream":  {"Samples per query", "effective_samples_per_query"},
	"Server":       {"Scheduled samples per second", "result_scheduled_samples_per_sec"},
}

// readTextLog returns the values in a run's summary and the faults in its detail log, under the keys of later detail
// logs.
func (c *formerChecker) readTextLog(dir string) (*detail.Log, error) {
	lines, err := c.files.Lines(path.Join(dir, tree.SummaryLog))
	if err != nil {
		return nil, err
	}
	if lines == nil {
		return nil, errors.New(tree.SummaryLog + " is missing")
	}
	said, values := map[string]string{}, map[string]any{}
	for _, line := range lines {
		if validLine.MatchString(line) {
			values["result_validity"] = "VALID"
		}
		if m := summaryLine.FindStringSubmatch(line); m != nil {
			said[trimSpace(m[1])] = trimSpace(m[2])
		}
	}
	for label, key := range wholeLabels {
		n, err := strconv.ParseUint(said[label], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s is %q, want a whole number", tree.SummaryLog, label, said[label])
		}
		values[key] = int64(n)
		if n > 1<<63-1 {
			values[key] = float64(n)
		}
	}
	scenario := strings.ReplaceAll(said["Scenario"], " ", "")
	values[detail.KeyScenario] = scenario
	if err := addResult(values, said, scenario); err != nil {
		return nil, err
	}
	log := detail.NewLog(values)
	log.Errors, err = c.readTextErrors(dir)
	return log, err
}

func addResult(values map[string]any, said map[string]string, scenario string) error {
	labels := []struct{ label, key string }{resultLabels[scenario]}
	if scenario == "SingleStream" {
		labels = append(labels, struct{ label, key string }{"QPS w/o loadgen overhead", result.KeyOfflineFromSingleStream})
	}
	for _, l := range labels {
		v, ok := pyfloat.Parse(said[l.label])
		if !ok {
			return fmt.Errorf("%s: %s is %q, want a number", tree.SummaryLog, l.label, said[l.label])
		}
		values[l.key] = v
	}
	return nil
}

// readTextErrors returns the faulty lines of a detail log in text form.
func (c *formerChecker) readTextErrors(dir string) (faults []any, err error) {
	lines, err := c.files.Lines(path.Join(dir, tree.DetailLog))
	if err != nil {
		return nil, err
	}
	if lines == nil {
		return []any{tree.DetailLog + " is missing"}, nil
	}
	for _, line := range lines {
		if strings.Contains(line, "ERROR") && !c.isIgnored(line) {
			faults = append(faults, line)
		}
	}
	return faults, nil
}

func (c *formerChecker) isIgnored(line string) bool {
	for _, part := range c.features.Forgiven {
		if strings.Contains(line, part) {
			return true
		}
	}
	return c.Exceptions && strings.Contains(line, "ERROR : "+uncommittedText)
}
