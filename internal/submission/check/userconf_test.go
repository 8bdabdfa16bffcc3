package check_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// entriesWith are the entries of a log in which the keys have other values; a nil value removes the key.
func entriesWith(list []mllog.DetailEntry, values map[string]any) []mllog.DetailEntry {
	var out []mllog.DetailEntry
	for _, e := range list {
		value, changed := values[e.Key]
		if changed && value == nil {
			continue
		}
		if changed {
			e.Value = value
		}
		out = append(out, e)
	}
	return out
}

// rewrite puts a run's detail log with other values into a tree.
func rewrite(t *testing.T, root, folder, mode, moment string, values map[string]any) {
	t.Helper()
	var log []byte
	for _, e := range entriesWith(runEntries(mode, moment), values) {
		log = mllog.AppendDetail(log, e)
	}
	put(t, root, path.Join(folder, tree.DetailLog), string(log))
}

// TestLogOutranksUserConf: a setting below the minimum rejects a result only if the log shows that it ran.
func TestLogOutranksUserConf(t *testing.T) {
	const notRun, low = "user.conf is not what ran", "a setting of Offline is below the minimum"
	const duration, count = "effective_min_duration_ms", "effective_performance_sample_count"
	type values = map[string]any
	for name, c := range map[string]struct {
		conf     string
		log      map[string]any // other values of the performance run's log
		severity check.Severity // empty: no finding about settings
		what     string
	}{
		"the minimum":                {"*.Offline.min_duration = 600000\n", nil, "", ""},
		"no duration, ten minutes":   {"*.Offline.min_duration = 0\n", nil, check.Warn, notRun},
		"one minute, ten minutes":    {"*.Offline.min_duration = 60000\n", nil, check.Warn, notRun},
		"of all scenarios":           {"*.*.min_duration = 120000\n", nil, check.Warn, notRun},
		"of the model":               {"3d-unet.Offline.min_duration = 1\n", nil, check.Warn, notRun},
		"longer than ten minutes":    {"*.Offline.min_duration = 1\n", values{duration: 700000}, check.Warn, notRun},
		"one minute ran":             {"*.Offline.min_duration = 60000\n", values{duration: 60000}, check.Reject, low},
		"another short time ran":     {"*.Offline.min_duration = 60000\n", values{duration: 599999}, check.Reject, low},
		"the log does not say":       {"*.Offline.min_duration = 60000\n", values{duration: nil}, check.Reject, low},
		"few samples, all ran":       {"*.*.performance_sample_count_override = 42\n", nil, check.Warn, notRun},
		"few samples, more ran":      {"*.*.performance_sample_count_override = 1\n", values{count: 99}, check.Warn, notRun},
		"few samples ran":            {"*.*.performance_sample_count_override = 42\n", values{count: 42}, check.Reject, low},
		"as many samples":            {"*.*.performance_sample_count_override = 43\n", nil, "", ""},
		"of a scenario that did not": {"*.Server.min_duration = 60000\n", nil, check.Warn, "a setting of Server is"},
		"a line is broken":           {"*.Offline.target_qps = 1\nTODO\n", nil, check.Warn, "a line is no setting"},
		"a placeholder":              {"TODO\n", nil, check.Reject, "a line is no setting"},
	} {
		t.Run(name, func(t *testing.T) {
			root := newTree(t)
			put(t, root, sound+"/user.conf", c.conf)
			if c.log != nil {
				rewrite(t, root, sound+"/performance/run_1", "PerformanceOnly", "1", c.log)
			}
			r := run(t, root)
			if c.severity != "" {
				wantFinding(t, r, c.severity, "conf", sound+"/user.conf", c.what)
			}
			if c.severity == check.Reject {
				return
			}
			if slices.ContainsFunc(r.Findings, func(f check.Finding) bool {
				return f.Rule == "conf" && (f.Severity == check.Reject || c.severity == "")
			}) {
				t.Errorf("want no more:\n%s", texts(r))
			}
		})
	}
}

// TestUserConfWithoutLog: without a log nothing shows that a setting did not run.
func TestUserConfWithoutLog(t *testing.T) {
	root := newTree(t)
	put(t, root, sound+"/user.conf", "*.Offline.min_duration = 60000\n")
	put(t, root, sound+"/performance/run_1/"+tree.DetailLog, "")
	wantFinding(t, run(t, root), check.Reject, "conf", sound+"/user.conf", "below the minimum")
}

// TestUserConfQuotesTheLog: the warning has both values.
func TestUserConfQuotesTheLog(t *testing.T) {
	root := newTree(t)
	put(t, root, sound+"/user.conf", "*.Offline.min_duration = 60000\n")
	for _, f := range run(t, root).Findings {
		if strings.Contains(f.Found, "60000") && strings.Contains(f.Found, "effective_min_duration_ms 600000") {
			return
		}
	}
	t.Error("no finding has both values")
}
