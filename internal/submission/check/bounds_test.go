package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestBoundsOfRules changes one value of a sound tree, to the last that a rule takes and to the first that it does not.
func TestBoundsOfRules(t *testing.T) {
	const (
		log      = sound + "/performance/run_1/mlperf_log_detail.txt"
		summary  = sound + "/performance/run_1/mlperf_log_summary.txt"
		accuracy = sound + "/accuracy/mlperf_log_detail.txt"
		text     = sound + "/accuracy/accuracy.txt"
		outputs  = sound + "/accuracy/mlperf_log_accuracy.json"
		hash     = "0123456789abcdef"
		validity = `:::MLLOG {"key": "result_validity"`
	)
	entry := func(key string, value any) string {
		return string(mllog.AppendDetail(nil, mllog.DetailEntry{Key: key, Value: value, File: "f"}))
	}
	sum := sha256.Sum256([]byte(soundFiles()[outputs]))
	whole := hex.EncodeToString(sum[:])
	for _, c := range []struct {
		file, old, new string
		severity       check.Severity // empty: the tree is as sound as before
		rule, what     string
	}{
		{log, "08:11:00.000", "08:10:00.000", "", "", ""},
		{log, "08:11:00.000", "08:09:59.999", check.Warn, "duration", "took less than ten minutes"},
		{log, `"effective_min_duration_ms", "value": 600000`, `"effective_min_duration_ms", "value": 599999`, check.Reject,
			"duration", "not set to last"},
		{log, validity, entry("generated_query_duration", 1) + validity, "", "", ""}, // in Offline
		{log, validity, entry("result_perf_constraints_met", true) + validity, "", "", ""},
		{log, validity, entry("result_perf_constraints_met", false) + validity, check.Reject, "validity",
			"a condition is not met"},
		{log, `"result_min_queries_met", "value": true`, `"result_min_queries_met", "value": false`, check.Reject, "validity",
			"a condition is not met"},
		{log, `"num_errors", "value": 0`, `"num_errors", "value": 1`, check.Reject, "validity", "counted more errors"},
		{log, "2747215439041700203", "2747215439041700204", check.Reject, "seeds", ""},
		{accuracy, "2747215439041700203", "0", check.Warn, "seeds", "a seed is not the round's"},
		{accuracy, "2085463073848966840", "1", check.Warn, "seeds", "a seed is not the round's"},
		{log, "6.0.17 @", "7.0.1 @", check.Note, "loadgen", "LoadGen is of a later round"},
		{log, "6.0.17 @", "60.0 @", check.Note, "loadgen", "LoadGen is of a later round"},
		{log, "6.0.17 @", "5.1.2 @", check.Reject, "loadgen", "LoadGen is not of the round"},
		{log, "16159082839903944936", "16159082839903944937", check.Reject, "seeds", ""},
		{log, `"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": 0`, check.Reject, "metric",
			"there is no result"},
		{log, `"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": Infinity`, check.Reject,
			"metric", "there is no result"},
		{summary, "PerformanceOnly", "AccuracyOnly", check.Reject, "validity", "summary and detail log disagree"},
		{summary, "Offline", "Server", check.Reject, "validity", "summary and detail log disagree"},
		{summary, "No errors encountered during test.", "2 ERRORS encountered. See detailed log.", check.Reject, "validity",
			"summary and detail log disagree"},
		{accuracy, `"effective_accuracy_sample_count", "value": 43`, `"effective_accuracy_sample_count", "value": 42`,
			check.Reject, "counts", "not over the whole data set"},
		{accuracy, `"effective_accuracy_sample_count", "value": 43`, `"effective_accuracy_sample_count", "value": 44`,
			check.Reject, "counts", "not over the whole data set"},
		{text, hash, strings.ToUpper(whole), "", "", ""},
		{text, hash, strings.Repeat("0", len(whole)), check.Reject, "hash", "not that of the accuracy log"},
		{outputs, soundFiles()[outputs], "[\n]\n", check.Reject, "truncation", "no output"},
	} {
		root := newTree(t)
		before := soundFiles()[c.file]
		after := strings.Replace(before, c.old, c.new, 1)
		if after == before {
			t.Fatalf("%s has no %s:\n%s", c.file, c.old, before)
		}
		put(t, root, c.file, after)
		r := run(t, root)
		if c.severity != "" {
			wantFinding(t, r, c.severity, c.rule, strings.Replace(c.file, summary, log, 1), c.what)
		} else if r.Verdict != check.Accepted {
			t.Errorf("%s: %s", c.new, texts(r))
		}
	}
}
