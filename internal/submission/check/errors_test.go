package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestErrorsOfLogs: a few errors are told one by one, many in one line.
func TestErrorsOfLogs(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3, 4: 1, 5: 1, 63: 1, 64: 1, 65: 1, 91: 1, 1000: 1} {
		files := soundFiles()
		folder := sound + "/performance/run_1"
		var errors []mllog.DetailEntry
		for i := range n {
			errors = append(errors, mllog.DetailEntry{Key: "error_runtime", Value: fmt.Sprintf("fault %d", i), Error: true})
		}
		addRun(files, folder, "PerformanceOnly", "1", errors...)
		root := t.TempDir()
		for name, text := range files {
			put(t, root, name, text)
		}
		var found []string
		for _, f := range rejects(run(t, root)) {
			if f.Rule == "validity" && f.Path == folder+"/mlperf_log_detail.txt" {
				found = append(found, f.What+" "+f.Found)
			}
		}
		if len(found) != want {
			t.Errorf("%d errors: got %d findings, want %d: %q", n, len(found), want, found)
		}
		if n > 3 && !strings.Contains(strings.Join(found, "\n"),
			fmt.Sprintf("%d entries are marked as errors, the first is error_runtime: fault 0", n)) {
			t.Errorf("%d errors: got %q", n, found)
		}
	}
}

// TestEndOfAnAudit: the run of TEST07 or TEST09 may end at its max_query_count, that of a result or of TEST01 not.
func TestEndOfAnAudit(t *testing.T) {
	entries := append(auditEntries(), mllog.DetailEntry{Key: "error_runtime", Error: true,
		Value: "IssueQueryThread 0 Ending early: Max query count reached. query_count 990"})
	for _, key := range []string{"result_query_count", "generated_query_count"} {
		entries = append(entries, mllog.DetailEntry{Key: key, Value: 990})
	}
	for folder, want := range map[string]check.Severity{
		"closed/Lab/results/box/gpt-oss-120b/Offline/TEST07/performance/run_1": check.Warn,
		"closed/Lab/results/box/gpt-oss-120b/Offline/TEST09/performance/run_1": check.Warn,
		"closed/Lab/results/box/gpt-oss-120b/Offline/performance/run_1":        check.Reject,
		sound + "/performance/run_1":                                           check.Reject,
		sound + "/TEST01/performance/run_1":                                    check.Reject,
	} {
		files := soundFiles()
		addRun(files, folder, "PerformanceOnly", "5", entries...)
		root := t.TempDir()
		for name, text := range files {
			put(t, root, name, text)
		}
		wantFinding(t, run(t, root), want, "validity", folder+"/mlperf_log_detail.txt", "Max query count reached")
	}
}
