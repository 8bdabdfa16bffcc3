package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/submission/check"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// TestSummaryOfMultiStream: its summary shows latencies of queries, the detail log those of samples, too.
func TestSummaryOfMultiStream(t *testing.T) {
	for said, agrees := range map[string]bool{"2000": true, "1000": false} {
		root, folder := newTree(t), sound+"/performance/run_1"
		var log []byte
		for _, e := range []mllog.DetailEntry{
			{Key: "effective_scenario", Value: "MultiStream"}, {Key: "result_mean_latency_ns", Value: 1000},
			{Key: "result_mean_query_latency_ns", Value: 2000}, {Key: "result_99.00_percentile_latency_ns", Value: 1000},
			{Key: "result_99.00_percentile_per_query_latency_ns", Value: 2000},
		} {
			log = mllog.AppendDetail(log, e)
		}
		put(t, root, folder+"/"+tree.DetailLog, string(log))
		var summary bytes.Buffer
		if err := mllog.WriteSummary(&summary, &mllog.Summary{
			SUTName: "sut", Scenario: "MultiStream", Mode: "PerformanceOnly", Result: "VALID",
			Headline: []mllog.Field{{Label: "99.0th percentile latency (ns)", Value: said}},
			Stats:    [][]mllog.Field{{{Label: "Mean latency (ns)", Value: said}}},
		}); err != nil {
			t.Fatal(err)
		}
		put(t, root, folder+"/"+tree.SummaryLog, summary.String())
		found := 0
		for _, f := range run(t, root).Findings {
			if f.What == "summary and detail log disagree" && f.Rule == "metric" {
				found++
			}
		}
		if agrees && found != 0 || !agrees && found != 2 {
			t.Errorf("a summary of %s: %d findings", said, found)
		}
	}
}

func TestSoundSubmissionIsAccepted(t *testing.T) {
	report := run(t, newTree(t))
	if report.Verdict != check.Accepted || len(report.Results) != 1 || report.Results[0].Metric != 0.5 {
		t.Errorf("got %+v\n%s", report.Results, texts(report))
	}
}

// TestJSONHasLists: a report without findings has an empty list of them.
func TestJSONHasLists(t *testing.T) {
	text, err := json.Marshal(run(t, newTree(t)))
	if err != nil || !strings.Contains(string(text), `"findings":[]`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestEveryFaultAtOnce breaks a tree in many places: each is told, with all that a finding has.
func TestEveryFaultAtOnce(t *testing.T) {
	root := newTree(t)
	for name, text := range map[string]string{
		"closed/Lab/systems/box.json":            "\ufeff{}",
		sound + "/measurements.json":             "{",
		sound + "/user.conf":                     "nonsense\n",
		sound + "/accuracy/accuracy.txt":         "Accuracy: mean = 0.5\n",
		sound + "/TEST01/verify_performance.txt": "NOT A TEST PASS\n",
		sound + "/TEST01/verify_accuracy.txt":    "num_perf_log_data_mismatch = 3\nTEST PASS\n",
		sound + "/accuracy/.DS_Store":            "x",
		"closed/Empty/src/x":                     "a submitter without results",
		"notes.txt":                              "x",
	} {
		put(t, root, name, text)
	}
	r := run(t, root)
	wantFinding(t, r, check.Reject, "system", "closed/Lab/systems/box.json", "byte order mark")
	wantFinding(t, r, check.Reject, "measurements", sound+"/measurements.json", "not JSON")
	wantFinding(t, r, check.Reject, "conf", sound+"/user.conf", "nonsense")
	wantFinding(t, r, check.Reject, "accuracy", sound+"/accuracy/accuracy.txt", "DICE is below its target 0.5")
	wantFinding(t, r, check.Reject, "hash", sound+"/accuracy/accuracy.txt", "missing")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_performance.txt", "did not pass")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_accuracy.txt", "num_perf_log_data_mismatch 3")
	wantFinding(t, r, check.Reject, "repository", sound+"/accuracy/.DS_Store", "hidden")
	wantFinding(t, r, check.Reject, "tree", "closed/Empty", "no results")
	wantFinding(t, r, check.Warn, "files", "notes.txt", "no part")
	for _, f := range r.Findings {
		if f.Source == "" || f.Do == "" || f.Path == "" || f.What == "" {
			t.Errorf("a finding is not whole: %+v", f)
		}
	}
}

// TestLogsThatAreNoLogs replaces the detail log of the performance run.
func TestLogsThatAreNoLogs(t *testing.T) {
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	whole := soundFiles()[log]
	for _, c := range []struct {
		text     string
		severity check.Severity
		what     string
	}{
		{"", check.Reject, "the log is empty"},
		{"hello\n" + whole, check.Reject, "the first line is no entry"},
		{"\ufeff" + whole, check.Reject, "the first line is no entry"},
		{whole + "hello\n", check.Warn, "lines are no entries"},
		{whole + ":::MLLOG {\"key\": \n", check.Reject, "entries cannot be read"},
		{strings.ReplaceAll(whole, "\n", "\r\n"), check.Warn, "carriage returns"},
		{strings.TrimSuffix(whole, "\n"), check.Warn, "the last line has no end"},
		{whole + "\xff\n", check.Reject, "the log is no text"},
	} {
		root := newTree(t)
		put(t, root, log, c.text)
		wantFinding(t, run(t, root), c.severity, "log-format", log, c.what)
	}
}

// TestRunsThatMayNotBeSubmitted replaces entries of the performance run.
func TestRunsThatMayNotBeSubmitted(t *testing.T) {
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	for _, c := range []struct{ old, new, rule string }{
		{`"6.0.17 @ d6147c7eb7"`, `"plumbline 1.0 (compatible with 6.0.17)"`, "loadgen"},
		{`"6.0.17 @ d6147c7eb7"`, `"4.1 @ abc"`, "loadgen"},
		{`"VALID"`, `"INVALID"`, "validity"},
		{"PerformanceOnly", "AccuracyOnly", "settings"},
		{"2085463073848966840", "1", "seeds"},
		{": 600000", ": 599999", "duration"},
		{`"effective_performance_sample_count", "value": 43`, `"effective_performance_sample_count", "value": 42`,
			"counts"},
		{`"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": 0.9`, "metric"},
		{`"result_samples_per_second", "value": 0.5`, `"result_samples_per_second", "value": nan`, "metric"},
		{`"effective_sample_concatenate_permutation", "value": true`,
			`"effective_sample_concatenate_permutation", "value": false`, "settings"},
	} {
		root := newTree(t)
		put(t, root, log, strings.Replace(soundFiles()[log], c.old, c.new, 1))
		if r := run(t, root); r.Verdict != check.Rejected {
			t.Errorf("%s: accepted", c.new)
		} else {
			wantFinding(t, r, check.Reject, c.rule, log, "")
		}
	}
}

func TestMarkedResultsAreRefused(t *testing.T) {
	root := newTree(t)
	put(t, root, sound+"/measurements.json", strings.Replace(soundModel(), "{",
		`{"`+tree.MarksField+`": ["the plugin's embedded model"], `, 1))
	wantFinding(t, run(t, root), check.Reject, "measurements", sound+"/measurements.json",
		"the plugin's embedded model")
}

func TestOneRunForTwoResults(t *testing.T) {
	root := newTree(t)
	if err := os.CopyFS(filepath.Join(root, "closed/Größe 💡"), os.DirFS(filepath.Join(root,
		"closed/Lab"))); err != nil {
		t.Fatal(err)
	}
	for _, submitter := range []string{"Lab", "Größe 💡"} {
		log := strings.Replace(sound, "Lab", submitter, 1) + "/performance/run_1/mlperf_log_detail.txt"
		wantFinding(t, run(t, root), check.Reject, "duplicates", log, "filed for another result")
	}
}

// TestFilesThatAreTooLarge: a document of 100 MB is not read.
func TestFilesThatAreTooLarge(t *testing.T) {
	root := newTree(t)
	for _, name := range []string{sound + "/measurements.json", "closed/Lab/src/weights"} {
		put(t, root, name, "")
		if err := os.Truncate(filepath.Join(root, name), 100<<20); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, root)
	wantFinding(t, r, check.Reject, "measurements", sound+"/measurements.json", "is larger than")
	wantFinding(t, r, check.Reject, "repository", "closed/Lab/src/weights", "50 MiB")
}

// TestTreeThatChanges takes files away, and puts others in their place, when the names have been read.
func TestTreeThatChanges(t *testing.T) {
	root := newTree(t)
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	log := sound + "/performance/run_1/mlperf_log_detail.txt"
	if err := os.Remove(filepath.Join(root, log)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, sound, "TEST01")); err != nil {
		t.Fatal(err)
	}
	r, err := check.Run(context.Background(), found, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantFinding(t, r, check.Reject, "files", log, "the log cannot be read")
	wantFinding(t, r, check.Reject, "audit-01", sound+"/TEST01/verify_accuracy.txt", "the verdict cannot be read")
}

func TestNothingToCheck(t *testing.T) {
	found, err := tree.Open(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if _, err := check.Run(context.Background(), found, check.Options{}); !errors.Is(err, tree.ErrNoSubmission) {
		t.Errorf("an empty folder: got %v", err)
	}
	other, err := tree.Open(newTree(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = check.Run(context.Background(), other, check.Options{Submitter: "Nobody"})
	if !errors.Is(err, tree.ErrNoSubmission) || !strings.Contains(err.Error(), "Lab") {
		t.Errorf("an unknown submitter: got %v", err)
	}
}

func TestAnEndedCheck(t *testing.T) {
	found, err := tree.Open(newTree(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := check.Run(ctx, found, check.Options{}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
